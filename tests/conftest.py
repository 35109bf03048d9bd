"""Shared by all tests: separate folders, so that no test reads or changes the user's data.

Several processes may run the tests, each on separate CPU cores: threads that wait for each other by spinning, as TVM's
do, take ten times as long on shared cores. Tests that need all cores are marked `alone`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import metal_device

if TYPE_CHECKING:
    from engine.models.checkpoints import Checkpoint
    from engine.runtime.synthesizer import Synthesizer

TESTS = Path(__file__).resolve().parent
BUILD_FOLDER = TESTS.parent / "build" / "test"
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
SLOWEST_FILES = (
    "engine/validator/runners/test_every_fault.py",
    "software_metal/test_full_size.py",
    "engine/test_trained_exactness.py",
    "software_metal/test_speech.py",
    "engine/test_exactness.py",
    "engine/compiler/test_metal_converters.py",
    "engine/training/distillation/test_building.py",
)
_BUILD_OR_RUN = ("bundles", "cases", "experiments", "faults", "inspection", "kernels", "runners", "runs", "service")
SLOW = (
    *(f"engine/validator/{room}/" for room in _BUILD_OR_RUN),
    *(f"engine/compiler/{room}" for room in ("kernels/", "mps_bridge/", "test_")),
    *(f"engine/{room}/" for room in ("benchmark", "network", "server", "training")),
    *(f"engine/runtime/{room}/" for room in ("preparation", "runners")),
    *("engine/cli/", "engine/export/", "engine/models/", "engine/test_", "software_metal/"),
    *(f"app/diagnostics/{room}" for room in ("runs/", "test_cases", "test_reference_process", "test_run_queue")),
    *("app/test_application", "app/test_busy_window", "app/test_real_", "app/test_start", "app/test_screenshot"),
    "app/reader/test_flat_memory",
)
"""Tests that mostly build, run or train models, or start processes, as prefixes of paths below this folder."""
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile("searching", settings.get_profile("default"), deadline=None)
settings.load_profile("repeatable")  # the same examples each time; `--hypothesis-profile searching` tries others
os.environ["XDG_CACHE_HOME"] = str(BUILD_FOLDER / "cache")  # modules stay built between runs; stale ones are detected
BUILD_FOLDER.mkdir(parents=True, exist_ok=True)
OWN_FOLDER = Path(mkdtemp(prefix="process-", dir=BUILD_FOLDER))  # files left by a run that was stopped harm no other
os.environ["XDG_CONFIG_HOME"] = str(OWN_FOLDER / "config")
os.environ["XDG_DATA_HOME"] = str(OWN_FOLDER / "data")
os.environ["OMP_NUM_THREADS"] = "1"  # torch's and TVM's thread pools, spinning in one process, halve each other's speed
os.environ["TORCH_FAKE_TENSOR_DISPATCH_CACHE"] = "0"  # tracing a stage of symbolic lengths is a third faster without it
os.environ["PYTHONFAULTHANDLER"] = "1"  # a process of a test that crashes says where
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise every process of a test compiles its imports
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background jobs and all their children
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["TVM_BIND_THREADS"] = "0"  # otherwise TVM binds the thread that first runs a kernel to the first core


def _own_processors() -> None:
    """Limit this process and its children to its share of the CPU cores, if the system can do that."""
    if WORKER and hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        share = allowed[int(WORKER.removeprefix("gw")) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]
        os.sched_setaffinity(0, share or allowed)


_own_processors()


def pytest_configure(config: pytest.Config) -> None:
    """Collect garbage as the engine does, and remove the folder of this process when its tests have ended."""
    from engine.system.memory import collect_garbage_rarely

    collect_garbage_rarely()
    config.add_cleanup(lambda: rmtree(OWN_FOLDER, ignore_errors=True))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for GitHub's Macs, whose virtual GPU lacks features that the kernels need."""
    parser.addoption("--without-metal", action="store_true", help="skip the tests that need a Metal device")


@pytest.fixture(scope="session", autouse=True)
def metal_is_wanted_or_left_out(request: pytest.FixtureRequest) -> Iterator[None]:
    """Skip every test that asks for the Metal device if `--without-metal` is given."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("--without-metal"):
            patch.setattr(metal_device, "find_device", metal_device.leave_out)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among modules and tests, neither now nor later: they stay in use, and there are many."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@cache
def _marks_alone(file: Path) -> bool:
    return "mark.alone" in file.read_text(encoding="utf-8")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no other files if only tests marked `alone` are wanted."""
    left_out = collection_path.suffix == ".py" and not _marks_alone(collection_path)
    return True if left_out and config.option.markexpr.startswith("alone") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files that take minutes first, so that no process is left with one at the end.

    Tests marked `alone` or `long` are slow too.
    """
    for item in items:
        alone = any(item.iter_markers("alone"))
        assert not alone or _marks_alone(item.path), "`make test` would leave the test out"
        if alone or any(item.iter_markers("long")) or item.path.relative_to(TESTS).as_posix().startswith(SLOW):
            item.add_marker("slow")
    items.sort(key=lambda item: item.path.relative_to(TESTS).as_posix() not in SLOWEST_FILES)


@pytest.fixture(autouse=True)
def priority_is_kept() -> Iterator[None]:
    """Check the priority: a test that lowers it for this process starves all later ones on a busy machine."""
    before = _priority()
    yield
    assert _priority() == before, "the test changed the priority of its own process"


def _priority() -> tuple[int, int]:
    if sys.platform != "linux":
        return os.getpriority(os.PRIO_PROCESS, 0), 0
    return os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)


@pytest.fixture(scope="session")
def starter() -> Iterator[Synthesizer]:
    """The bundled model, ready to speak."""
    from engine.runtime.synthesizer import Synthesizer  # only after the folders above are set

    synthesizer = Synthesizer("starter")
    synthesizer.prepare()
    yield synthesizer
    synthesizer.close()


@pytest.fixture(scope="session")
def trained_data() -> Path:
    """A data folder with the trained Kokoro-82M installed; for tests marked `needs_trained`."""
    from tests.trained import install

    return install(BUILD_FOLDER / "trained")


@pytest.fixture(scope="module")
def trained(trained_data: Path) -> Iterator[Checkpoint]:
    """The trained Kokoro-82M, installed while the tests of a file run."""
    from engine.models.checkpoints import FULL_SIZE, open_checkpoint

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(trained_data))
        yield open_checkpoint(FULL_SIZE)


@pytest.fixture(scope="module")
def trained_synthesizer(trained: Checkpoint) -> Iterator[Synthesizer]:
    """The trained Kokoro-82M, ready to speak."""
    from engine.runtime.synthesizer import Synthesizer

    synthesizer = Synthesizer(trained.name)
    synthesizer.prepare()
    yield synthesizer
    synthesizer.close()
