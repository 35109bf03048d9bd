"""Every stage of the full-size architecture on the software device, alone, at a few frames, against the truth."""

from __future__ import annotations

import pytest

from engine.artifacts.manifest import Variant
from engine.model_store.checkpoints import FULL_SIZE, open_checkpoint
from engine.preparation.modules import ensure_modules
from engine.runners.tvm_runner import CompiledRunner
from engine.stages import STAGES, Place
from tests.engine.exactness import bench, reference_fed, request_values, run_all
from tests.software_metal.loader import SoftwareMetal

LEAST_CORRELATION = 0.9999
FRAMES = range(2, 5)


@pytest.fixture(scope="module")
def correlations(software_metal: SoftwareMetal) -> dict[str, float]:
    before = software_metal.live_buffers()
    checkpoint = open_checkpoint(FULL_SIZE, "random:0")
    folder = ensure_modules(FULL_SIZE, checkpoint.config, Variant("metal-host"), lambda _: None)
    with software_metal.fast():
        made = bench(checkpoint, CompiledRunner(folder, checkpoint.config, checkpoint.load_weights()))
        truth = run_all(made, made.truth, request_values(made, token_count=1, speed=1.0))
        assert truth["frame_count"][0] in FRAMES
        found = reference_fed(made, truth)
        made.compiled.close()
    assert software_metal.live_buffers() <= before
    return found


@pytest.mark.parametrize(
    "output", [tensor.name for stage in STAGES if stage.runs_on is Place.DEVICE for tensor in stage.outputs]
)
def test_every_output_is_the_truths(correlations: dict[str, float], output: str) -> None:
    assert correlations[output] >= LEAST_CORRELATION
