import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from filelock import FileLock

from engine.compiler.artifacts.manifest import (
    CPU,
    Fresh,
    Freshness,
    Identity,
    Manifest,
    Missing,
    Stale,
    Variant,
    expected_identity,
    modules_folder,
)
from engine.compiler.artifacts.processor_families import ARM, X86_64, X86_64_V4, ProcessorFamily
from engine.errors import Canceled, CompileError, EngineError, RecoveryAction
from engine.models.checkpoints import model_config
from engine.runtime.preparation import modules
from engine.runtime.preparation.modules import ensure_module, ensure_modules, find_modules, run_engine
from engine.speech import Event, PreparationEvent
from engine.system import child_process
from engine.system.child_process import error_fields
from engine.system.paths import shipped_modules_folder
from tests.engine.example_libraries import IDENTITY, library
from tests.patience import PATIENCE_SECONDS, wait_until

CONFIG = model_config("starter")
FRESH = Fresh(Manifest(expected_identity(CONFIG, CPU), ()))


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "type[Child]":
    monkeypatch.setattr(modules, "built_modules_folder", lambda: tmp_path)
    monkeypatch.setattr(child_process.subprocess, "Popen", Child)
    Child.script = ""
    Child.last = None
    return Child


class Child(subprocess.Popen):
    """The compiler's process, replaced by a script of the test."""

    script = ""
    last: "Child | None" = None
    command: tuple[str, ...] = ()

    def __init__(self, command: tuple[str, ...], **options: object) -> None:
        assert command[1:4] == ("-m", "engine", "compile")
        super().__init__([sys.executable, "-c", Child.script], **options)
        Child.last = self
        Child.command = command


def states(monkeypatch: pytest.MonkeyPatch, *answers: object) -> None:
    remaining = iter(answers)

    def freshness(folder: Path, *_: object) -> object:
        return Missing() if folder.parent == shipped_modules_folder() else next(remaining)

    monkeypatch.setattr(modules, "freshness", freshness)


def test_fresh_modules_start_no_compiler(child, monkeypatch, tmp_path):
    states(monkeypatch, FRESH)
    assert ensure_modules("starter", CONFIG, CPU, lambda _: None).parent == tmp_path
    assert child.last is None


def test_progress_of_the_compiler_is_passed_on(child, monkeypatch):
    child.script = (
        'import sys; print(\'{"title": "Decoder", "done": 1, "total": 7}\', file=sys.stderr); '
        "print('a stray line', file=sys.stderr)"
    )
    states(monkeypatch, Missing(), Missing(), FRESH)
    events: list[Event] = []
    ensure_modules("starter", CONFIG, CPU, events.append)
    assert events[-1] == PreparationEvent("Decoder", 1, 7)


@pytest.mark.parametrize("variant", [CPU, Variant("metal-macos", probed=True)])
def test_variants_are_asked_for_by_name(child, monkeypatch, tmp_path, variant):
    asked: list[tuple[Path, Identity]] = []
    answers = iter((Missing(), Missing(), FRESH))

    def freshness(folder: Path, expected: Identity, stages: Iterable[str]) -> Freshness:
        if folder.parent == shipped_modules_folder():
            return Missing()
        asked.append((folder, expected))
        return next(answers)

    monkeypatch.setattr(modules, "freshness", freshness)
    folder = ensure_modules("starter", CONFIG, variant, lambda _: None)
    assert folder == modules_folder(tmp_path, CONFIG, variant)
    assert asked == [(folder, expected_identity(CONFIG, variant))] * 3
    assert child.command[child.command.index("--target") + 1] == variant.target
    assert ("--probes" in child.command) == variant.probed


def test_a_failed_compiler_is_quoted(child, monkeypatch):
    monkeypatch.setattr(modules, "families_here", lambda: {X86_64: ""})
    line = json.dumps(error_fields(EngineError("No TVM.", "Install it.", RecoveryAction.INSTALL_AGAIN)))
    child.script = f"import sys; print({line!r}, file=sys.stderr); sys.exit(1)"
    states(monkeypatch, Missing(), Missing())
    with pytest.raises(CompileError, match=r"No TVM\. Install it\.") as caught:
        ensure_modules("starter", CONFIG, CPU, lambda _: None)
    assert caught.value.recovery_action is RecoveryAction.INSTALL_AGAIN


def test_rejected_shipped_modules_are_explained_at_the_start_and_on_build_failure(child, monkeypatch):
    monkeypatch.setattr(modules, "families_here", lambda: {X86_64: "this CPU lacks avx2"})
    states(monkeypatch, Missing(), Missing())
    line = json.dumps(error_fields(CompileError("There is no C compiler.", "Install one.")))
    child.script = f"import sys; print({line!r}, file=sys.stderr); sys.exit(1)"
    events: list[Event] = []
    with pytest.raises(CompileError) as caught:
        ensure_modules("starter", CONFIG, CPU, events.append)
    sentence = f"The bundled modules can’t be used: those for {X86_64.title}: this CPU lacks avx2"
    assert str(caught.value) == f"There is no C compiler. {sentence}. Install one."
    assert events[0].title == f"Starting the compiler. {sentence}"


def test_a_real_child_process_reports_its_error():
    with pytest.raises(CompileError, match="abacus") as caught:
        run_engine(["compile", "--target", "abacus"], lambda _: None)
    assert caught.value.hint
    assert caught.value.recovery_action is None


def test_a_killed_compiler_is_reported(child, monkeypatch):
    child.script = "import os; os.kill(os.getpid(), 9)"
    states(monkeypatch, Missing(), Missing())
    with pytest.raises(CompileError, match="ended with code -9"):
        ensure_modules("starter", CONFIG, CPU, lambda _: None)


def test_modules_that_stay_stale_are_never_used(child, monkeypatch):
    states(monkeypatch, Missing(), Missing(), Stale("decoder.so is damaged"))
    with pytest.raises(CompileError, match=r"decoder\.so is damaged"):
        ensure_modules("starter", CONFIG, CPU, lambda _: None)


def test_cancel_ends_the_child(child, monkeypatch):
    child.script = "import time; time.sleep(600)"
    states(monkeypatch, Missing(), Missing())
    cancel = threading.Event()

    def cancel_what_has_begun() -> None:
        wait_until(lambda: child.last, "the compiler")
        cancel.set()

    threading.Thread(target=cancel_what_has_begun).start()
    with pytest.raises(Canceled):
        ensure_modules("starter", CONFIG, CPU, lambda _: None, cancel)
    assert child.last is not None
    assert child.last.returncode is not None


def test_modules_built_meanwhile_by_a_different_process_are_used(child, monkeypatch):
    states(monkeypatch, Missing(), FRESH)
    ensure_modules("starter", CONFIG, CPU, lambda _: None)
    assert child.last is None


def test_a_second_builder_waits_for_the_first(child, monkeypatch, tmp_path):
    folder = modules_folder(tmp_path, CONFIG, CPU)
    states(monkeypatch, Missing(), FRESH)
    events: list[Event] = []
    said = threading.Event()

    def note(event: Event) -> None:
        events.append(event)
        said.set()

    with FileLock(folder.with_name(f"{folder.name}.lock")):
        second = threading.Thread(target=ensure_modules, args=("starter", CONFIG, CPU, note))
        second.start()
        assert said.wait(PATIENCE_SECONDS)
        assert second.is_alive()
    second.join(PATIENCE_SECONDS)
    assert not second.is_alive()
    assert "Waiting" in events[0].title
    assert child.last is None


def test_waiting_can_be_canceled(child, monkeypatch, tmp_path):
    folder = modules_folder(tmp_path, CONFIG, CPU)
    states(monkeypatch, Missing())
    cancel = threading.Event()
    cancel.set()
    with FileLock(folder.with_name(f"{folder.name}.lock")), pytest.raises(Canceled):
        ensure_modules("starter", CONFIG, CPU, lambda _: None, cancel)


def test_the_module_of_one_stage_is_built_by_name_and_not_again(child, monkeypatch, tmp_path):
    answers: list[Freshness] = [Missing(), Missing(), FRESH, FRESH, FRESH]
    asked: list[list[str]] = []

    def freshness(folder: Path, expected: Identity, stages: Iterable[str]) -> Freshness:
        asked.append(list(stages))
        return answers.pop(0)

    monkeypatch.setattr(modules, "freshness", freshness)
    probed = Variant("cpu", probed=True)
    assert ensure_module("starter", CONFIG, probed, "decoder", lambda _: None).parent == tmp_path
    assert child.command.count("--stage") == 1
    assert child.command[child.command.index("--stage") + 1] == "decoder"
    assert "--probes" in child.command
    child.last = None
    ensure_module("starter", CONFIG, probed, "decoder", lambda _: None)
    assert child.last is None
    assert asked == [["decoder"]] * 5


def test_a_module_of_one_stage_that_stays_stale_is_never_used(child, monkeypatch):
    monkeypatch.setattr(modules, "freshness", lambda *_: Stale("decoder.so is damaged"))
    with pytest.raises(CompileError, match=r"module of stage decoder can’t be used: decoder\.so is damaged"):
        ensure_module("starter", CONFIG, Variant("cpu", probed=True), "decoder", lambda _: None)


MODULE_CHOICE_FRESH = Fresh(Manifest(IDENTITY, (library("bert"),)))
STALE = Stale("built with a different TVM version")
HIDDEN = "this CPU lacks avx512f"
SHIPPED, BUILT = "shipped", "built"
FOLDERS = {name: f"{CONFIG.fingerprint()}-cpu{name and '-'}{name}" for name in ("", X86_64.name, X86_64_V4.name)}
"""Folders by family; without a family, the modules are for this machine alone."""


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(modules, "shipped_modules_folder", lambda: tmp_path / SHIPPED)
    monkeypatch.setattr(modules, "built_modules_folder", lambda: tmp_path / BUILT)
    here(monkeypatch, {X86_64_V4: "", X86_64: ""})
    return tmp_path


def here(monkeypatch: pytest.MonkeyPatch, families: Mapping[ProcessorFamily, str]) -> None:
    monkeypatch.setattr(modules, "families_here", lambda: families)


def there(monkeypatch: pytest.MonkeyPatch, fast: Freshness, common: Freshness, built: Freshness) -> None:
    """Set the states of the modules shipped for the families with and without AVX-512, and of those built here."""
    states = {FOLDERS[X86_64_V4.name]: fast, FOLDERS[X86_64.name]: common, FOLDERS[""]: built}
    monkeypatch.setattr(modules, "freshness", lambda folder, *_: states[folder.name])


@pytest.mark.parametrize(
    ("fast", "common", "built", "place", "family"),
    [
        (MODULE_CHOICE_FRESH, MODULE_CHOICE_FRESH, Missing(), SHIPPED, X86_64_V4.name),
        (MODULE_CHOICE_FRESH, MODULE_CHOICE_FRESH, STALE, SHIPPED, X86_64_V4.name),
        (STALE, MODULE_CHOICE_FRESH, Missing(), SHIPPED, X86_64.name),
        (Missing(), MODULE_CHOICE_FRESH, Missing(), SHIPPED, X86_64.name),
        (MODULE_CHOICE_FRESH, MODULE_CHOICE_FRESH, MODULE_CHOICE_FRESH, BUILT, ""),
        (STALE, STALE, MODULE_CHOICE_FRESH, BUILT, ""),
    ],
)
def test_those_built_here_speak_else_the_fastest_that_can_be_used(
    places, monkeypatch, fast, common, built, place, family
):
    there(monkeypatch, fast, common, built)
    found = find_modules(CONFIG, CPU)
    assert found.folder == places / place / FOLDERS[family]
    assert not found.problem


def test_the_reason_for_not_using_better_modules_is_reported(places, monkeypatch):
    there(monkeypatch, STALE, MODULE_CHOICE_FRESH, Stale("decoder.so is damaged"))
    why = find_modules(CONFIG, CPU).why
    assert X86_64.title in why
    assert f"{X86_64_V4.title} can’t be used: {STALE.why}" in why
    assert "decoder.so is damaged" in why


def test_a_cpu_that_hides_features_gets_modules_for_the_visible_ones(places, monkeypatch):
    there(monkeypatch, MODULE_CHOICE_FRESH, MODULE_CHOICE_FRESH, Missing())
    here(monkeypatch, {X86_64_V4: HIDDEN, X86_64: ""})
    found = find_modules(CONFIG, CPU)
    assert found.folder == places / SHIPPED / FOLDERS[X86_64.name]
    assert HIDDEN in found.why


def test_without_any_that_can_be_used_every_reason_is_named(places, monkeypatch):
    there(monkeypatch, MODULE_CHOICE_FRESH, STALE, Missing())
    here(monkeypatch, {X86_64_V4: HIDDEN, X86_64: ""})
    found = find_modules(CONFIG, CPU)
    assert found.folder is None
    assert HIDDEN in found.problem
    assert STALE.why in found.problem
    assert HIDDEN in found.shipped_problem


def test_a_system_that_none_are_shipped_for_is_named(places, monkeypatch):
    there(monkeypatch, MODULE_CHOICE_FRESH, MODULE_CHOICE_FRESH, Missing())
    here(monkeypatch, {})
    monkeypatch.setattr(modules.platform, "machine", lambda: "riscv64")
    assert "riscv64" in find_modules(CONFIG, CPU).shipped_problem


def test_modules_that_none_are_shipped_of_are_built_here(places, monkeypatch):
    probed = Variant("cpu", probed=True)
    states: dict[str, Freshness] = {BUILT: MODULE_CHOICE_FRESH, SHIPPED: Missing()}
    monkeypatch.setattr(modules, "freshness", lambda folder, *_: states[folder.parent.name])
    assert find_modules(CONFIG, probed).folder == places / BUILT / f"{CONFIG.fingerprint()}-cpu-probed"
    states[BUILT] = Stale("decoder.so is damaged")
    assert find_modules(CONFIG, probed).problem == "decoder.so is damaged"
    assert not find_modules(CONFIG, probed).shipped_problem


def test_each_place_is_checked_against_its_own_module_identity(places, monkeypatch):
    asked: dict[str, object] = {}

    def freshness(folder: Path, expected: object, stages: object) -> Freshness:
        asked[folder.parent.name] = expected
        return Missing()

    monkeypatch.setattr(modules, "freshness", freshness)
    here(monkeypatch, {ARM: ""})
    find_modules(CONFIG, CPU)
    assert asked == {
        SHIPPED: expected_identity(CONFIG, Variant("cpu", family=ARM.name)),
        BUILT: expected_identity(CONFIG, CPU),
    }
