"""Every stage of the full-size architecture on the software device, isolated, at a few frames, against the reference.

Kernels are compiled as by Apple's compiler; `test_speech` also has the bundled model's compiled exactly. Long command
buffers are killed. The weights are the trained ones if available, with audible phonemes, otherwise random ones.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import Variant
from engine.compiler.metal_passes import MAX_LAUNCHES
from engine.models.checkpoints import FULL_SIZE, Checkpoint, open_checkpoint
from engine.runtime.runners.host import HostRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import Array
from engine.stages import DEVICE_STAGES, Stage, stage_named
from tests.engine.exactness import Values, bench, correlation, request_values, run_all, spoken_values
from tests.engine.kept_modules import kept_modules
from tests.software_metal.loader import Counts, SoftwareMetal
from tests.trained import TRAINED_IS_HERE

Load = Callable[[Variant, Sequence[Stage]], CompiledRunner]
FRAMES = range(2, 20)
PHONEMES, SPEED = "hˈI.", 8.0
FLOAT32, FLOAT16 = Variant("metal-host"), Variant("metal-host", precision="float16")
DECODER, ALIGNMENT = stage_named("decoder"), stage_named("alignment")


@pytest.fixture(scope="module")
def checkpoint(request: pytest.FixtureRequest) -> Checkpoint:
    return request.getfixturevalue("trained") if TRAINED_IS_HERE else open_checkpoint(FULL_SIZE, "random:0")


@pytest.fixture(scope="module")
def weights(checkpoint: Checkpoint) -> Mapping[str, Array]:
    return checkpoint.load_weights()


@pytest.fixture(scope="module")
def host(checkpoint: Checkpoint) -> HostRunner:
    return HostRunner(checkpoint.config)


@pytest.fixture(scope="module")
def truth(checkpoint: Checkpoint, host: HostRunner) -> Values:
    made = bench(checkpoint, host)  # no compiled modules are needed for it
    spoken = spoken_values(made, PHONEMES, SPEED) if TRAINED_IS_HERE else request_values(made, 1, speed=1.0)
    truth = run_all(made, made.truth, spoken)
    assert truth["frame_count"][0] in FRAMES
    return truth


@pytest.fixture(scope="module")
def load(
    software_metal: SoftwareMetal,
    checkpoint: Checkpoint,
    weights: Mapping[str, Array],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Load]:
    """Loads a copy of modules, whose kernels no other test has had compiled in a different mode."""
    before = software_metal.live_buffers()
    with ExitStack() as loaded:

        def load(variant: Variant, stages: Sequence[Stage]) -> CompiledRunner:
            kept = kept_modules(checkpoint.config, variant, stages)
            folder = shutil.copytree(kept, tmp_path_factory.mktemp("modules") / variant.name)
            return loaded.enter_context(closing(CompiledRunner(folder, checkpoint.config, weights)))

        with software_metal.fast_math(), software_metal.behaving(max_buffer_launches=MAX_LAUNCHES):
            yield load
            loaded.close()
    assert software_metal.live_buffers() <= before


@pytest.fixture(scope="module")
def counted_outputs(software_metal: SoftwareMetal, load: Load, truth: Values) -> tuple[Values, Counts]:
    """The outputs of every isolated stage, and the device's counts for them."""
    software_metal.count_anew()
    runner, made = load(FLOAT32, DEVICE_STAGES), {}
    for stage in DEVICE_STAGES:
        made.update(runner.run_stage(stage, {tensor.name: truth[tensor.name] for tensor in stage.inputs}))
    return made, software_metal.counts()


@pytest.fixture(scope="module")
def outputs(counted_outputs: tuple[Values, Counts]) -> Values:
    return counted_outputs[0]


@pytest.mark.parametrize("stage", DEVICE_STAGES, ids=lambda stage: stage.name)
def test_every_stage_keeps_its_tolerance(outputs, truth, stage):
    for tensor in stage.outputs:
        assert correlation(outputs[tensor.name], truth[tensor.name]) >= stage.tolerance >= 0.9999, tensor.name


def test_durations_match_the_reference(host, outputs, truth):
    aligned = host.run_stage(ALIGNMENT, {tensor.name: (truth | outputs)[tensor.name] for tensor in ALIGNMENT.inputs})
    np.testing.assert_array_equal(aligned["frame_token"], truth["frame_token"])


def test_no_command_buffer_gets_long(counted_outputs):
    _, counts = counted_outputs
    assert counts.launches > 10 * MAX_LAUNCHES
    assert counts.max_buffer_launches <= MAX_LAUNCHES == 40
    assert counts.aborts == 0


def test_a_decoder_of_halves_keeps_its_tolerance(truth, load):
    outputs = load(FLOAT16, [DECODER]).run_stage(
        DECODER, {tensor.name: truth[tensor.name] for tensor in DECODER.inputs}
    )
    for name, array in outputs.items():
        assert FLOAT16.tolerance_of(DECODER) <= correlation(array, truth[name]) < 1 - 1e-9
