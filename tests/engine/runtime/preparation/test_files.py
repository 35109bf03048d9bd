"""Tests of prepared modules' files, and of marks of modules in use; a mark of an ended process shows a crash."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import Variant
from engine.compiler.artifacts.packed_weights import PackedWeights
from engine.config import ModelConfig
from engine.errors import Canceled, MissingModel
from engine.models.checkpoints import open_checkpoint
from engine.runtime.preparation import crash_guard, devices
from engine.runtime.preparation import files as preparation_files
from engine.runtime.preparation import weights as preparation_weights
from engine.runtime.preparation.crash_guard import crash_guarded, crashed_last_time, is_in_use
from engine.runtime.preparation.files import ensure_files, is_ready, make_ready, warm_up
from engine.runtime.preparation.modules import FoundModules
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial
from engine.runtime.preparation.weights import pack
from engine.speech import PreparationEvent


@pytest.fixture
def packing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder where weights are packed, in this process instead of a child."""

    def run_engine(arguments: list[str], observe: Callable[..., None], cancel: threading.Event | None) -> None:
        if cancel is not None and cancel.is_set():
            raise Canceled("Stopped")
        pack("starter", None, Path(arguments[-1]), observe)

    monkeypatch.setattr(preparation_weights, "packed_weights_folder", lambda: tmp_path)
    monkeypatch.setattr(preparation_weights, "run_engine", run_engine)
    return tmp_path


def test_a_model_is_ready_once_its_files_are_created(starter, packing):
    events: list[PreparationEvent] = []
    assert not is_ready("starter")
    make_ready("starter", "auto", events.append)
    assert is_ready("starter")
    assert (events[0].done, events[-1].done) == (0, events[-1].total)
    told = len(events)
    files = ensure_files(open_checkpoint(), "cpu", events.append)
    assert (files.device, isinstance(files.weights, PackedWeights)) == ("cpu", True)
    assert events[told:] == []


def test_a_gpu_is_tried_when_the_files_are_needed_and_not_before(starter, packing, monkeypatch):
    make_ready("starter", "auto", lambda _: None)
    tried: list[bool] = []

    def result(trial: ProbeTrial, config: ModelConfig, variants: dict[str, Variant], may_try: bool) -> ProbeResult:
        tried.append(may_try)
        return ProbeResult(False, "not tested yet")

    monkeypatch.setattr(ProbeTrial, "result", result)
    for module in (devices, preparation_files):
        monkeypatch.setattr(module, "metal_unavailable_reason", lambda: None)
    assert is_ready("starter")
    events: list[PreparationEvent] = []
    assert ensure_files(open_checkpoint(), "auto", events.append).choice.is_fallback
    assert tried == [True]
    assert [event.title for event in events] == ["Trying the GPU"]


def test_a_model_without_modules_is_not_ready(starter, packing, monkeypatch):
    make_ready("starter", "auto", lambda _: None)
    monkeypatch.setattr(preparation_files, "find_modules", lambda *_: FoundModules(None, "not built yet"))
    assert not is_ready("starter")


def test_making_ready_can_be_canceled_and_leaves_it_not_ready(starter, packing):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        make_ready("starter", "auto", lambda _: None, cancel)
    assert not is_ready("starter")


def test_a_model_that_is_not_here_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr("engine.models.store.data_folder", lambda: tmp_path)
    with pytest.raises(MissingModel):
        is_ready("kokoro-82m")


class Kernels:
    """Stands in for a `CompiledRunner` with this many kernels."""

    def __init__(self, kernel_count: int) -> None:
        self.kernel_count = kernel_count

    def warm_up(self) -> Iterator[int]:
        yield from range(self.kernel_count + 1) if self.kernel_count else ()


def test_the_kernels_of_all_runners_are_warmed_up_and_counted():
    assert list(warm_up([Kernels(3), Kernels(2)])) == [(done, 5) for done in (0, 1, 2, 3, 3, 4, 5)]
    assert list(warm_up([Kernels(0), Kernels(0)])) == []


CRASHES = """
import os, pathlib, sys
from engine.runtime.preparation import crash_guard
crash_guard.cache_folder = lambda: pathlib.Path(sys.argv[1])
with crash_guard.crash_guarded("thing"):
    os.abort()
"""


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(crash_guard, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_a_crash_is_found_out_once(cache):
    ended = subprocess.run([sys.executable, "-c", CRASHES, str(cache)], check=False)
    assert ended.returncode < 0
    assert not crashed_last_time("other")
    assert crashed_last_time("thing")
    assert not crashed_last_time("thing")


def test_use_by_a_running_process_does_not_count_as_a_crash(cache):
    with crash_guarded("thing"):
        assert len(list(cache.iterdir())) == 1
        assert not crashed_last_time("thing")
    assert list(cache.iterdir()) == []


def test_an_error_is_no_crash(cache):
    with pytest.raises(ValueError, match="no"), crash_guarded("thing"):
        raise ValueError("no")
    assert list(cache.iterdir()) == []


def test_a_mark_that_names_no_process_is_a_crash(cache):
    cache.mkdir()
    (cache / "thing-in-use-x").touch()
    assert crashed_last_time("thing")


def test_a_process_of_a_different_user_counts_as_running(cache, monkeypatch):
    def forbidden(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    cache.mkdir()
    (cache / "thing-in-use-7-7").touch()
    assert not crashed_last_time("thing")


def test_a_guarded_block_runs_even_if_no_mark_can_be_written(cache):
    cache.write_text("not a folder")
    with crash_guarded("thing"):
        pass
    assert not crashed_last_time("thing")


def test_a_cache_that_is_deleted_meanwhile_does_no_harm(cache):
    with crash_guarded("thing"):
        for path in cache.iterdir():
            path.unlink()
        cache.rmdir()


def test_a_resource_used_twice_is_in_use_until_both_uses_end(cache):
    with crash_guarded("thing"):
        with crash_guarded("thing"):
            assert is_in_use("thing")
        assert is_in_use("thing")
        assert not is_in_use("other")
    assert not is_in_use("thing")


def test_use_by_a_crashed_process_does_not_count_as_in_use(cache):
    subprocess.run([sys.executable, "-c", CRASHES, str(cache)], check=False)
    assert not is_in_use("thing")
