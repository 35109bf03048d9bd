import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.compiler.artifacts.packed_weights import PackedWeights, part_of
from engine.errors import Canceled, EngineError, OutputError
from engine.models.checkpoints import Checkpoint, open_checkpoint
from engine.runtime.pipeline import Pipeline
from engine.runtime.preparation import weights as preparation_weights
from engine.runtime.preparation.modules import find_modules
from engine.runtime.preparation.weights import TITLE, UPDATE_TITLE, ensure_weights, pack, packed_weights_path
from engine.runtime.runners import tvm_runner
from engine.runtime.runners.base import Runner
from engine.runtime.runners.host import HostRunner
from engine.runtime.runners.tvm_runner import CompiledRunner, packed_stages
from engine.runtime.synthesizer import Synthesizer
from engine.speech import PreparationEvent, Utterance
from engine.stages import DEVICE_STAGES, StagePlace
from engine.system.paths import project_folder
from tests.engine.memory import resident_bytes

STAGES = len(DEVICE_STAGES)


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return open_checkpoint()


@pytest.fixture(scope="module")
def modules(starter: Synthesizer, checkpoint: Checkpoint) -> Path:
    folder = find_modules(checkpoint.config, CPU).folder
    assert folder is not None
    return folder


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The requests to child processes, which pack in this process instead."""
    asked: list[list[str]] = []

    def run_engine(arguments: list[str], observe: Callable[..., None], cancel: object) -> None:
        asked.append(arguments)
        pack("starter", None, Path(arguments[-1]), observe)

    monkeypatch.setattr(preparation_weights, "packed_weights_folder", lambda: tmp_path / "weights")
    monkeypatch.setattr(preparation_weights, "run_engine", run_engine)
    return asked


def ensured(checkpoint: Checkpoint, modules: Path, events: list | None = None) -> object:
    observe = (lambda _: None) if events is None else events.append
    return ensure_weights(checkpoint, modules, observe)


def test_kept_weights_equal_those_packed_now_bit_for_bit(children, checkpoint, modules):
    kept = ensured(checkpoint, modules)
    assert isinstance(kept, PackedWeights)
    count = 0
    for stage, arrays in packed_stages(modules, checkpoint.load_weights()):
        assert len(arrays) == len(kept.stages[stage])
        for array, other in zip(arrays, kept.stages[stage], strict=True):
            assert array.dtype == other.dtype
            assert array.shape == other.shape
            assert array.tobytes() == other.tobytes()
            count += 1
    assert count > 100


@pytest.mark.parametrize("long", [False, True])
def test_stored_weights_produce_the_same_audio_and_free_memory_for_long_speech(
    children, checkpoint, modules, monkeypatch, long
):
    if long:
        monkeypatch.setattr(tvm_runner, "LARGE_INPUT_BYTES", 0)
    voice = next(iter(checkpoint.voices.values()))
    utterance = Utterance(0, "Hello.", "həlˈO.", 0, 6)
    kept = ensured(checkpoint, modules)
    spoken = []
    for weights in (checkpoint.load_weights(), kept):
        compiled = CompiledRunner(modules, checkpoint.config, weights)
        runners: dict[StagePlace, Runner] = {
            StagePlace.DEVICE: compiled,
            StagePlace.HOST: HostRunner(checkpoint.config),
        }
        pipeline = Pipeline(checkpoint.config, runners)
        spoken += [pipeline.speak(utterance, voice.style(6), 1.0, seed).samples for seed in (0, 1)]
    assert np.array_equal(spoken[0], spoken[2])
    assert np.array_equal(spoken[1], spoken[3])
    resident = resident_bytes(packed_weights_path("starter", None))
    sizes = {stage: sum(array.nbytes for array in arrays) for stage, arrays in kept.stages.items()}
    expected = sizes["decoder"] if long else sum(sizes.values())
    assert resident is None or 0.9 * expected < resident < 1.1 * expected


def test_weights_are_packed_once(children, checkpoint, modules):
    for _ in range(3):
        assert isinstance(ensured(checkpoint, modules), PackedWeights)
    assert children == [["pack", "--model", "starter", "--modules", str(modules)]]


def test_packing_is_reported_stage_by_stage_from_before_its_process_begins(children, checkpoint, modules):
    events: list[PreparationEvent] = []
    ensured(checkpoint, modules, events)
    assert events == [PreparationEvent(TITLE, done, STAGES) for done in (0, *range(STAGES + 1))]


def test_different_weights_replace_the_old_ones_with_an_update_notice(children, checkpoint, modules, monkeypatch):
    ensured(checkpoint, modules)
    before = sorted(packed_weights_path("starter", None).parent.iterdir())
    other = replace(checkpoint, identity="other")
    monkeypatch.setattr(preparation_weights, "open_with", lambda *_: other)
    events: list[PreparationEvent] = []
    assert isinstance(ensured(other, modules, events), PackedWeights)
    assert events == [PreparationEvent(UPDATE_TITLE, done, STAGES) for done in (0, *range(STAGES + 1))]
    assert len(children) == 2
    assert sorted(packed_weights_path("starter", None).parent.iterdir()) == before


def test_damaged_weights_are_packed_again(children, checkpoint, modules):
    ensured(checkpoint, modules)
    path = packed_weights_path("starter", None)
    path.write_bytes(path.read_bytes()[:-1000])
    assert isinstance(ensured(checkpoint, modules), PackedWeights)
    assert len(children) == 2


def same_arrays(found: object, checkpoint: Checkpoint) -> bool:
    originals = checkpoint.load_weights()
    return isinstance(found, dict) and all(np.array_equal(found[name], array) for name, array in originals.items())


def test_a_packing_failure_falls_back_to_the_original_weights(children, checkpoint, modules, monkeypatch):
    def broken(*_: object) -> None:
        raise EngineError("It broke.", "Mend it.")

    monkeypatch.setattr(preparation_weights, "run_engine", broken)
    events: list[PreparationEvent] = []
    assert same_arrays(ensured(checkpoint, modules, events), checkpoint)
    assert "can’t be cached" in events[-1].title
    assert "It broke. Mend it." in events[-1].title


def test_an_unwritable_folder_falls_back_to_the_original_weights(children, checkpoint, modules, tmp_path):
    (tmp_path / "weights").write_text("no folder")
    events: list[PreparationEvent] = []
    assert same_arrays(ensured(checkpoint, modules, events), checkpoint)
    assert "be written" in events[-1].title
    assert children == []


def test_a_full_disk_is_reported(children, modules, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(preparation_weights, "save_packed", full)
    with pytest.raises(OutputError, match=r"No space left on device.*Free up some space"):
        pack("starter", None, modules, lambda _: None)


def test_canceling_leaves_nothing_behind(children, checkpoint, modules, monkeypatch):
    part = part_of(packed_weights_path("starter", None))

    def stopped(*_: object) -> None:
        part.write_bytes(b"half")
        raise Canceled("Preparation stopped.")

    monkeypatch.setattr(preparation_weights, "run_engine", stopped)
    with pytest.raises(Canceled):
        ensure_weights(checkpoint, modules, lambda _: None, threading.Event())
    assert not part.exists()


def test_random_and_trained_weights_and_devices_have_separate_files():
    names = {
        packed_weights_path("kokoro-82m", weights, device).name
        for weights in (None, "random:0", "random:1")
        for device in ("cpu", "metal")
    }
    kept = {"kokoro-82m", "kokoro-82m-random", "kokoro-82m-metal", "kokoro-82m-random-metal"}
    assert names == {f"{name}.weights" for name in kept}


def test_two_simultaneous_starts_pack_only_once(checkpoint, modules, tmp_path, monkeypatch):
    monkeypatch.setattr(preparation_weights, "packed_weights_folder", lambda: tmp_path)
    events: list[PreparationEvent] = []
    found: list[object] = []

    def run_engine(arguments: list[str], observe: Callable[..., None], cancel: object) -> None:
        program = "from engine.runtime.preparation import weights as w; from pathlib import Path"
        program += "; from engine.__main__ import main"
        program += f"; w.packed_weights_folder = lambda: Path({str(tmp_path)!r}); raise SystemExit(main({arguments!r}))"
        child = subprocess.run([sys.executable, "-c", program], cwd=project_folder(), capture_output=True, text=True)
        events.append(PreparationEvent(child.stderr, 1, 1))
        if child.returncode:
            raise EngineError(child.stderr)

    monkeypatch.setattr(preparation_weights, "run_engine", run_engine)
    threads = [threading.Thread(target=lambda: found.append(ensured(checkpoint, modules, events))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.title.splitlines()[-1] for event in events if event.done == event.total] == [
        f"{TITLE} ({STAGES} of {STAGES})"
    ]
    assert all(isinstance(weights, PackedWeights) for weights in found)
    assert len(found) == 2
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".lock", ".weights"]
