import json
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from engine.artifacts.comparison import Comparison, load_failure
from engine.artifacts.freshness import Fresh, Freshness, Missing, Stale
from engine.artifacts.manifest import CPU, Manifest, Variant
from engine.cli import in_background
from engine.cli.in_background import build_quietly, worth_building
from engine.errors import CompileError, OutputError
from engine.preparation.devices import DeviceChoice
from engine.preparation.module_choice import ModuleSet, ModuleSets
from engine.system.paths import project_folder
from tests.engine.example_libraries import IDENTITY, library
from tests.patience import PATIENCE_SECONDS, wait_until

FRESH = Fresh(Manifest(IDENTITY, (library("bert"),)))


@pytest.mark.parametrize(
    ("shipped", "device", "worth"),
    [
        (FRESH, "cpu", True),
        (Stale("they are of another TVM version"), "cpu", False),
        (Missing(), "cpu", False),
        (FRESH, "metal", False),
    ],
)
def test_only_where_shipped_modules_speak_others_may_be_faster(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shipped: Freshness, device: str, worth: bool
) -> None:
    sets = ModuleSets(ModuleSet(tmp_path, shipped), ModuleSet(tmp_path, Missing()), "any processors")
    monkeypatch.setattr(in_background, "choose_device", lambda *_: DeviceChoice(device, Variant(device), ""))
    monkeypatch.setattr(in_background, "module_sets", lambda _, variant: sets if variant == CPU else None)
    assert worth_building("starter", "auto") == (sets if worth else None)


def test_what_has_been_compared_is_not_worth_building(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sets = ModuleSets(ModuleSet(tmp_path, FRESH), ModuleSet(tmp_path, FRESH), "any processors")
    monkeypatch.setattr(in_background, "choose_device", lambda *_: DeviceChoice("cpu", CPU, ""))
    monkeypatch.setattr(in_background, "module_sets", lambda *_: sets)
    assert worth_building("starter", "auto") == sets
    Comparison(sets.libraries, 1.0, 1.0).save(tmp_path)
    assert worth_building("starter", "auto") is None


def test_without_a_compiler_nothing_is_worth_building(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sets = ModuleSets(ModuleSet(tmp_path, FRESH), ModuleSet(tmp_path, Missing()), "any processors")
    monkeypatch.setattr(in_background, "choose_device", lambda *_: DeviceChoice("cpu", CPU, ""))
    monkeypatch.setattr(in_background, "module_sets", lambda *_: sets)
    monkeypatch.setattr(in_background, "has_compiler", lambda: False)
    assert worth_building("starter", "auto") is None


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (CompileError("There is no C compiler.", "Install one."), "There is no C compiler. Install one."),
        (OutputError("It is full.", "Make room."), "It is full. Make room."),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_a_failure_is_kept_until_it_works(tmp_path: Path, error: Exception, kept: str) -> None:
    folder = tmp_path / "compiled" / "cpu"

    def fails() -> None:
        raise error

    with pytest.raises((CompileError, OutputError)):
        build_quietly(folder, fails)
    assert kept in load_failure(folder)
    build_quietly(folder, lambda: None)
    assert load_failure(folder) == ""


def test_two_at_once_build_once_and_nobody_waits(tmp_path: Path) -> None:
    folder = tmp_path / "cpu"
    with FileLock(tmp_path / "cpu.lock"):
        build_quietly(folder, lambda: pytest.fail("It was built twice."))


PROGRAM = """
import json, os, sys, threading, time
from engine.cli.in_background import end_with_parent, give_way
give_way()
end_with_parent()
policy = os.sched_getscheduler(0) if sys.platform == "linux" else None
threads = []
worker = threading.Thread(target=lambda: threads.append(os.getpriority(os.PRIO_PROCESS, 0)))
worker.start(); worker.join()
idle = policy is None or policy == os.SCHED_IDLE
try:
    print(json.dumps({"nice": os.nice(0), "thread": threads[0], "idle": idle}), flush=True)
    time.sleep(600)
finally:
    print("tidied up", flush=True)
"""


def test_it_takes_what_others_leave_and_ends_tidily_with_its_parent() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=project_folder(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert json.loads(child.stdout.readline()) == {"nice": 19, "thread": 19, "idle": True}
    output, _ = child.communicate(timeout=PATIENCE_SECONDS)
    assert output == "tidied up\n"
    assert child.returncode == 143


def test_it_can_end_before_its_parent() -> None:
    program = "from engine.cli.in_background import end_with_parent; end_with_parent(); import time; time.sleep(0.2)"
    child = subprocess.Popen([sys.executable, "-c", program], cwd=project_folder(), stdin=subprocess.PIPE)
    assert child.wait(PATIENCE_SECONDS) == 0
    assert child.stdin is not None
    child.stdin.close()


HALTED = """
import os, signal, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
child.stdout.readline()
os.kill(child.pid, signal.SIGSTOP)
print(child.pid, flush=True)
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a halted process of its parent's end")
def test_it_ends_with_its_parent_even_while_it_is_halted() -> None:
    command = [sys.executable, "-c", HALTED, PROGRAM]
    parent = subprocess.run(command, cwd=project_folder(), capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    state = Path(f"/proc/{int(parent.stdout)}/stat")
    wait_until(lambda: not is_alive(state), "the end of the child")


def is_alive(state: Path) -> bool:
    """Whether a process is there, and not merely waiting for somebody to ask how it ended."""
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
