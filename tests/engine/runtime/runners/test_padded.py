"""Padding a stage's inputs must equal a static pipeline, and must leave no trace but the tails."""

import copy
import math
from collections.abc import Mapping
from operator import attrgetter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import ModelConfig
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.random_weights import network_with, random_weights
from engine.runtime.runners.base import check_inputs
from engine.runtime.runners.host import HostRunner
from engine.runtime.runners.padded import PaddedRunner, padded_length
from engine.runtime.runners.torch_runner import ExportableRunner
from engine.speech import Array
from engine.stages import DEVICE_STAGES, STAGES, Stage, StagePlace, stage_named
from tests.engine.network.utterances import Values, all_values, noise_for, opening

torch.set_num_threads(1)

TOKENS, PADDING = 11, 0.75
RAGGED = (9, 2, 5)
each_stage = pytest.mark.parametrize("stage", DEVICE_STAGES, ids=attrgetter("name"))


class NoisyRunner:
    """Fills every output with ones, including padding, and records its inputs."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.seen: Mapping[str, Array] = {}
        self.closed = False

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        self.seen = inputs
        lengths = check_inputs(self.config, stage, inputs)
        return {t.name: np.ones(t.shape(self.config, lengths["batch"], lengths), t.dtype) for t in stage.outputs}

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def packed(tiny_config: ModelConfig) -> ExportableRunner:
    return ExportableRunner(network_with(tiny_config, random_weights(tiny_config, 0)))


@pytest.fixture(scope="module")
def unpacked(tiny_config: ModelConfig) -> ExportableRunner:
    return ExportableRunner(network_with(tiny_config, random_weights(tiny_config, 0)), LstmSemantics.NO_PACK)


@pytest.fixture(scope="module")
def ragged(tiny_config: ModelConfig, packed: ExportableRunner) -> Values:
    return all_values(tiny_config, packed, opening(tiny_config, RAGGED))


def inputs_of(stage: Stage, values: Values) -> Values:
    return {tensor.name: values[tensor.name] for tensor in stage.inputs}


def static_values(config: ModelConfig, runner: ExportableRunner, start: Values, padding: float) -> Values:
    """Run one pipeline on static lengths: padded once at the start and once after the alignment, never cropped."""
    values = copy.deepcopy(start)
    values["tokens"] = extended(values["tokens"], padded_length(TOKENS, padding))
    for stage in STAGES:
        chosen = HostRunner(config) if stage.runs_on is StagePlace.HOST else runner
        values.update(chosen.run_stage(stage, inputs_of(stage, values)))
        if stage.runs_on is StagePlace.HOST:
            frames = int(values["frame_count"][0])
            static = padded_length(frames, padding)
            values["frame_token"] = extended(values["frame_token"], static)
            values["source_noise"] = extended(noise_for(config, frames), static)
    return values


def extended(array: Array, length: int) -> Array:
    result = np.zeros((array.shape[0], length, *array.shape[2:]), array.dtype)
    result[:, : array.shape[1]] = array
    return result


@pytest.mark.parametrize("semantics", LstmSemantics)
def test_padding_per_stage_is_a_static_pipeline(tiny_config, packed, unpacked, semantics):
    runner = packed if semantics is LstmSemantics.PACKED else unpacked
    start = opening(tiny_config, [TOKENS])
    static = static_values(tiny_config, runner, start, PADDING)
    ours = all_values(tiny_config, PaddedRunner(tiny_config, runner, PADDING), start)
    assert ours["audio"].shape == (1, int(ours["frame_count"][0]) * tiny_config.samples_per_frame)
    for stage in STAGES:
        for tensor in stage.outputs:
            whole, mine = static[tensor.name], ours[tensor.name]
            np.testing.assert_array_equal(mine, whole[tuple(slice(extent) for extent in mine.shape)], tensor.name)


@each_stage
def test_a_stage_that_heeds_lengths_is_not_changed_by_padding(stage, tiny_config, packed, ragged):
    runner = PaddedRunner(tiny_config, packed, 1.5)
    expected = packed.run_stage(stage, inputs_of(stage, ragged))
    for name, ours in runner.run_stage(stage, inputs_of(stage, ragged)).items():
        scale = max(1, np.abs(expected[name]).max())
        np.testing.assert_allclose(ours, expected[name], atol=1e-5 * scale, err_msg=name)
        assert runner.tails[name].size > 0
        assert not runner.tails[name].any()


@pytest.mark.parametrize("name", ["duration", "f0n", "text_encoder"])
def test_a_stage_without_packing_is_changed_by_padding(name, tiny_config, unpacked, packed):
    stage = stage_named(name)
    inputs = inputs_of(stage, all_values(tiny_config, packed, opening(tiny_config, [TOKENS])))
    ours = PaddedRunner(tiny_config, unpacked, 1.0).run_stage(stage, inputs)
    expected = packed.run_stage(stage, inputs)
    assert any(np.abs(ours[key] - expected[key]).max() > 0.01 * np.abs(expected[key]).max() for key in expected)


def test_every_symbolic_axis_is_padded_with_zeros(tiny_config, ragged):
    inner = NoisyRunner(tiny_config)
    stage = stage_named("decoder")
    PaddedRunner(tiny_config, inner, 1.0).run_stage(stage, inputs_of(stage, ragged))
    frames = ragged["frame_token"].shape[1]
    for tensor in stage.inputs:
        shape = tensor.shape(tiny_config, len(RAGGED), {"tokens": 2 * RAGGED[0], "frames": 2 * frames})
        padded, given = inner.seen[tensor.name], ragged[tensor.name]
        assert padded.shape == shape
        assert padded.dtype == given.dtype
        np.testing.assert_array_equal(padded[tuple(slice(extent) for extent in given.shape)], given)
        assert np.count_nonzero(padded) == np.count_nonzero(given)


@given(counts=st.lists(st.integers(1, 12), min_size=1, max_size=3), padding=st.floats(0, 4))
@settings(max_examples=40)
def test_tails_hold_the_samples_beyond_each_member(tiny_config, counts, padding):
    stage, longest = stage_named("istft"), max(counts)
    shapes = {t.name: t.shape(tiny_config, len(counts), {"frames": longest}) for t in stage.inputs}
    inputs: Values = {t.name: np.zeros(shapes[t.name], t.dtype) for t in stage.inputs}
    inputs["frame_count"] = np.array(counts, np.int32)
    runner = PaddedRunner(tiny_config, NoisyRunner(tiny_config), padding)
    samples = tiny_config.samples_per_frame
    assert runner.run_stage(stage, inputs)["audio"].shape == (len(counts), longest * samples)
    beyond = sum(padded_length(longest, padding) - count for count in counts)
    assert runner.tails["audio"].tolist() == [1.0] * beyond * samples


@pytest.mark.parametrize(("given", "seen"), [(10, 20), (40, 64), (64, 64)])
def test_tokens_grow_to_the_limit_of_the_model_at_most(tiny_config, given, seen):
    inner = NoisyRunner(tiny_config)
    start = opening(tiny_config, [given])
    runner = PaddedRunner(tiny_config, inner, 1.0)
    outputs = runner.run_stage(stage_named("bert"), {name: start[name] for name in ("tokens", "token_count")})
    assert tiny_config.token_limit == 64
    assert inner.seen["tokens"].shape == (1, seen)
    assert outputs["text_features"].shape[2] == given


def test_no_padding_leaves_no_tail(tiny_config):
    inner = NoisyRunner(tiny_config)
    start = opening(tiny_config, [5])
    runner = PaddedRunner(tiny_config, inner, 0.0)
    runner.run_stage(stage_named("bert"), {name: start[name] for name in ("tokens", "token_count")})
    assert runner.tails["text_features"].size == 0
    runner.close()
    assert inner.closed


@pytest.mark.parametrize(("length", "padding", "grown"), [(10, 0, 10), (10, 0.1, 11), (3, 0.5, 5), (7, 4, 35)])
def test_padded_length_is_rounded_up(length, padding, grown):
    assert padded_length(length, padding) == grown


@pytest.mark.parametrize("padding", [-0.5, math.inf, math.nan])
def test_a_senseless_padding_is_refused(tiny_config, padding):
    with pytest.raises(ValueError, match="padding must be"):
        PaddedRunner(tiny_config, NoisyRunner(tiny_config), padding)
