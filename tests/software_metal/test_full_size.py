"""Every stage of the full-size architecture on the software device, alone, at a few frames, against the truth.

Kernels are compiled exactly, and then as Apple's compiler does it; command buffers that get long are killed. The
weights are the trained ones where they are here, with phonemes that sound, else random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import numpy as np
import pytest

from engine.artifacts.freshness import Fresh, freshness
from engine.artifacts.manifest import Variant, expected_identity
from engine.compiler.build import build
from engine.compiler.metal_passes import MOST_LAUNCHES
from engine.model_store.checkpoints import FULL_SIZE, Checkpoint, open_checkpoint
from engine.preparation.modules import ensure_modules
from engine.runners.tvm_runner import CompiledRunner
from engine.stages import DEVICE_STAGES, Stage, stage_named
from engine.system.paths import cache_folder
from tests.engine.exactness import (
    Bench,
    Values,
    bench,
    correlation,
    request_values,
    run_all,
    spoken_values,
)
from tests.software_metal.loader import SoftwareMetal
from tests.trained import TRAINED_IS_HERE

FRAMES = range(2, 20)
PHONEMES, SPEED = "hˈI.", 4.0
FLOAT32, FLOAT16 = Variant("metal-host"), Variant("metal-host", precision="float16")
DECODER, ALIGNMENT = stage_named("decoder"), stage_named("alignment")


@pytest.fixture(scope="module")
def checkpoint(request: pytest.FixtureRequest) -> Checkpoint:
    return request.getfixturevalue("trained") if TRAINED_IS_HERE else open_checkpoint(FULL_SIZE, "random:0")


@pytest.fixture(scope="module")
def made(
    software_metal: SoftwareMetal, checkpoint: Checkpoint, compiling: Callable[[], AbstractContextManager[None]]
) -> Iterator[Bench]:
    before = software_metal.live_buffers()
    folder = ensure_modules(FULL_SIZE, checkpoint.config, FLOAT32, lambda _: None)
    software_metal.count_anew()
    with compiling(), software_metal.behaving(longest_buffer=MOST_LAUNCHES):
        made = bench(checkpoint, CompiledRunner(folder, checkpoint.config, checkpoint.load_weights()))
        yield made
        made.compiled.close()
    assert software_metal.live_buffers() <= before


@pytest.fixture(scope="module")
def truth(made: Bench) -> Values:
    spoken = spoken_values(made, PHONEMES, SPEED) if TRAINED_IS_HERE else request_values(made, 1, speed=1.0)
    truth = run_all(made, made.truth, spoken)
    assert truth["frame_count"][0] in FRAMES
    return truth


@pytest.fixture(scope="module")
def outputs(made: Bench, truth: Values) -> Values:
    """Of every stage, fed by the truth."""
    made_of = {}
    for stage in DEVICE_STAGES:
        made_of.update(made.compiled.run(stage, {tensor.name: truth[tensor.name] for tensor in stage.inputs}))
    return made_of


@pytest.fixture(scope="module")
def float16_decoder(made: Bench) -> Iterator[CompiledRunner]:
    """A library for the decoder alone, kept between runs."""
    config = made.checkpoint.config
    folder = cache_folder() / f"decoder-{FLOAT16.name}"
    if not isinstance(freshness(folder, expected_identity(config, FLOAT16), (DECODER.name,)), Fresh):
        build(config, [DECODER], FLOAT16, folder, lambda _: None)
    runner = CompiledRunner(folder, config, made.checkpoint.load_weights())
    yield runner
    runner.close()


@pytest.mark.parametrize("stage", DEVICE_STAGES, ids=lambda stage: stage.name)
def test_every_stage_keeps_its_tolerance(outputs: Values, truth: Values, stage: Stage) -> None:
    for tensor in stage.outputs:
        assert correlation(outputs[tensor.name], truth[tensor.name]) >= stage.tolerance >= 0.9999, tensor.name


def test_durations_are_those_of_the_truth(made: Bench, outputs: Values, truth: Values) -> None:
    aligned = made.host.run(ALIGNMENT, {tensor.name: (truth | outputs)[tensor.name] for tensor in ALIGNMENT.inputs})
    np.testing.assert_array_equal(aligned["frame_token"], truth["frame_token"])


def test_no_command_buffer_gets_long(software_metal: SoftwareMetal, outputs: Values) -> None:
    counts = software_metal.counts()
    assert counts.launches > 10 * MOST_LAUNCHES
    assert counts.longest_buffer <= MOST_LAUNCHES == 40
    assert counts.aborts == 0


def test_a_decoder_of_halves_keeps_its_tolerance(truth: Values, float16_decoder: CompiledRunner) -> None:
    outputs = float16_decoder.run(DECODER, {tensor.name: truth[tensor.name] for tensor in DECODER.inputs})
    for name, array in outputs.items():
        assert FLOAT16.tolerance_of(DECODER) <= correlation(array, truth[name]) < 1 - 1e-9
