"""The compiled model against the reference: Kokoro's modules, unpadded, prosody and source in float64, same noise."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.models.checkpoints import open_checkpoint
from engine.runtime.preparation.modules import ensure_modules
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import STAGES, StagePlace
from tests.engine.exactness import Bench, Values, bench, correlation, durations, reference_fed, request_values, run_all

TOKEN_COUNTS = (1, 2, 17, 63, 128, 510)
ON_ALL_PROCESSORS = 128
"""The number of tokens at which all cores share the work of every kernel."""
SPEEDS = (0.5, 1.0, 2.0)
AT_EVERY_SPEED, DEFAULT_SPEED = (1, 63, ON_ALL_PROCESSORS), 1.0
LONG_ENOUGH_FRAMES = 60
NEAR_A_HALF = 1e-4
LEAST, MIN_WITH_RANDOM_WEIGHTS = 0.999, 0.99
"""The lowest accepted correlation of a waveform; the pitch of random weights loses more to rounding."""


@pytest.fixture(scope="module")
def starter_bench() -> Bench:
    return prepared("starter")


@pytest.fixture(scope="module")
def full_size_bench() -> Bench:
    return prepared("kokoro-82m", "random:0")


def prepared(model: str, weights: str | None = None) -> Bench:
    checkpoint = open_checkpoint(model, weights)
    checkpoint = replace(checkpoint, load_weights=cache(checkpoint.load_weights))
    folder = ensure_modules(model, checkpoint.config, CPU, lambda _: None)
    return bench(checkpoint, CompiledRunner(folder, checkpoint.config, checkpoint.load_weights()))


@pytest.mark.parametrize(
    ("token_count", "speed"),
    [
        pytest.param(n, speed, marks=pytest.mark.alone if n == ON_ALL_PROCESSORS else ())
        for n, speed in product(TOKEN_COUNTS, SPEEDS)
        if n in AT_EVERY_SPEED or speed == DEFAULT_SPEED
    ],
)
def test_starter_matches_the_reference(starter_bench, token_count, speed):
    assert_exact(starter_bench, token_count, speed)


def test_full_size_matches_the_reference(full_size_bench):
    assert_exact(full_size_bench, 9, DEFAULT_SPEED, MIN_WITH_RANDOM_WEIGHTS)


@pytest.mark.long
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("token_count", TOKEN_COUNTS)
def test_full_size_matches_the_reference_at_any_length(full_size_bench, token_count, speed):
    assert_exact(full_size_bench, token_count, speed, MIN_WITH_RANDOM_WEIGHTS)


def assert_exact(made: Bench, token_count: int, speed: float, least: float = LEAST) -> None:
    assert_exact_from(made, request_values(made, token_count, speed), least)


def assert_exact_from(made: Bench, start: Values, least: float = LEAST) -> tuple[Values, Values]:
    """Check exactness; returns the values of the reference and those of the compiled model end to end."""
    truth = run_all(made, made.truth, start)
    assert_reference_fed(made, truth)
    ours = run_all(made, made.compiled, start)
    if assert_durations(made, ours, truth):
        assert_waveform(ours, truth, run_all(made, made.upstream, start), least)
    return truth, ours


def assert_reference_fed(made: Bench, truth: Values) -> None:
    tolerances = {tensor.name: stage.tolerance for stage in STAGES for tensor in stage.outputs}
    for name, value in reference_fed(made, truth).items():
        assert value >= tolerances[name], name


def assert_durations(made: Bench, ours: Values, truth: Values) -> bool:
    """Return whether all durations are equal; one that differs must lie at a half."""
    exact, expected = durations(made, truth)
    _, actual = durations(made, ours)
    differing = np.flatnonzero(actual != expected)
    assert (np.abs(exact[differing] % 1 - 0.5) < NEAR_A_HALF).all()
    return not len(differing)


def assert_waveform(ours: Values, truth: Values, upstream: Values, least: float) -> None:
    own = correlation(ours["audio"], truth["audio"])
    assert own >= correlation(upstream["audio"], truth["audio"])
    if int(truth["frame_count"][0]) >= LONG_ENOUGH_FRAMES:
        assert own >= least


def test_a_ragged_batch_equals_its_members(starter_bench):
    assert_ragged(starter_bench, [request_values(starter_bench, n, 1.0) for n in (5, 40, 17, 2)])


def assert_ragged(made: Bench, starts: list[Values]) -> None:
    sequences = [run_all(made, made.compiled, start) for start in starts]
    for stage in STAGES:
        if stage.runs_on is StagePlace.DEVICE:
            batched = made.compiled.run_stage(stage, stacked(stage.inputs, sequences, fill=0.0))
            for row, sequence in enumerate(sequences):
                for name in (tensor.name for tensor in stage.outputs):
                    valid = batched[name][row][tuple(slice(extent) for extent in sequence[name].shape[1:])]
                    assert np.abs(valid - sequence[name][0]).max() <= 1e-4, (stage.name, name)


@pytest.mark.parametrize("fill", [7.5, np.nan])
def test_padding_contents_do_not_change_outputs(starter_bench, fill):
    sequences = [run_all(starter_bench, starter_bench.compiled, request_values(starter_bench, n, 1.0)) for n in (5, 20)]
    for stage in STAGES:
        if stage.runs_on is StagePlace.DEVICE:
            zeros = starter_bench.compiled.run_stage(stage, stacked(stage.inputs, sequences, fill=0.0))
            filled = starter_bench.compiled.run_stage(stage, stacked(stage.inputs, sequences, fill=fill))
            for tensor in stage.outputs:
                valid = tuple(slice(extent) for extent in sequences[0][tensor.name].shape[1:])
                assert np.array_equal(zeros[tensor.name][0][valid], filled[tensor.name][0][valid]), tensor.name


def stacked(tensors: tuple, sequences: list[Values], fill: float) -> Values:
    """Return the sequences' arrays as one batch, each padded to the longest with `fill` (integers with 0)."""
    batch = {}
    for tensor in tensors:
        arrays = [sequence[tensor.name][0] for sequence in sequences]
        shape = np.max([array.shape for array in arrays], axis=0).astype(int) if arrays[0].ndim else ()
        padding = fill if tensor.dtype == "float32" else 0
        batch[tensor.name] = np.full((len(arrays), *shape), padding, tensor.dtype)
        for row, array in enumerate(arrays):
            batch[tensor.name][(row, *(slice(extent) for extent in array.shape))] = array
    return batch
