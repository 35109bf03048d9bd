"""The weights for the GPU are packed once and cached, as those for the CPU are."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import Variant
from engine.compiler.artifacts.packed_weights import PackedWeights
from engine.compiler.build import build
from engine.models.checkpoints import Checkpoint, open_checkpoint
from engine.runtime.preparation import weights as preparation_weights
from engine.runtime.preparation.weights import ensure_weights, pack, packed_weights_path
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import PreparationEvent
from engine.stages import stage_named
from tests.software_metal.loader import SoftwareMetal

STAGE = stage_named("text_encoder")


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return open_checkpoint()


@pytest.fixture(scope="module")
def modules(checkpoint: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modules")
    build(checkpoint.config, [STAGE], Variant("metal-host"), folder, lambda _: None)
    return folder


@pytest.fixture
def children(software_metal: SoftwareMetal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The requests to child processes; packing runs in this process, which has the device."""
    asked: list[list[str]] = []

    def run_engine(arguments: list[str], observe: Callable[..., None], cancel: object) -> None:
        asked.append(arguments)
        with software_metal.fast():
            pack("starter", None, Path(arguments[-1]), observe)

    monkeypatch.setattr(preparation_weights, "packed_weights_folder", lambda: tmp_path)
    monkeypatch.setattr(preparation_weights, "run_engine", run_engine)
    return asked


def ensured(checkpoint: Checkpoint, modules: Path, events: list[PreparationEvent] | None = None) -> object:
    return ensure_weights(checkpoint, modules, (lambda _: None) if events is None else events.append)


def loaded(metal: SoftwareMetal, checkpoint: Checkpoint, modules: Path, weights: object) -> tuple[np.ndarray, int]:
    """Return the stage's result with these weights, and the number of launches before it was run."""
    with metal.fast():
        metal.count_anew()
        runner = CompiledRunner(modules, checkpoint.config, weights)
        launches = metal.launches()
        tokens = np.arange(1, 8, dtype=np.int32)[None]
        outputs = runner.run_stage(STAGE, {"tokens": tokens, "token_count": np.array([7], np.int32)})
        runner.close()
    return outputs["phoneme_features"], launches


def test_weights_are_packed_by_the_first_start_only(software_metal, children, checkpoint, modules):
    packed_now, launches = loaded(software_metal, checkpoint, modules, checkpoint.load_weights())
    assert launches > 0
    for _ in range(2):
        kept = ensured(checkpoint, modules)
        assert isinstance(kept, PackedWeights)
        kept_before, launches = loaded(software_metal, checkpoint, modules, kept)
        assert launches == 0
        np.testing.assert_array_equal(kept_before, packed_now)
    assert children == [["pack", "--model", "starter", "--modules", str(modules)]]
    assert packed_weights_path("starter", None, "metal").exists()
    assert not packed_weights_path("starter", None, "cpu").exists()


def test_nothing_keeps_the_file_mapped_once_its_content_is_on_the_device(software_metal, children, checkpoint, modules):
    runner = CompiledRunner(modules, checkpoint.config, ensured(checkpoint, modules))
    mapped = Path("/proc/self/maps").read_text()
    runner.close()
    assert str(packed_weights_path("starter", None, "metal")) not in mapped
