"""Smaller inputs of a stage."""

from collections.abc import Callable

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.model_store.checkpoints import model_config
from engine.runners.base import check_inputs
from engine.speech import Array
from engine.stages import DEVICE_STAGES, FRAMES, TOKENS, Stage, stage_named
from engine.validator.cases.array_reduction import Inputs, smallest_inputs, what_was_left_out, window
from engine.validator.cases.delta_debugging import Budget

TOKEN_COUNT, FRAME_COUNT = 7, 40


@pytest.fixture(scope="module")
def config() -> ModelConfig:
    return model_config("starter")


def inputs_of(config: ModelConfig, stage: Stage) -> dict[str, Array]:
    random = np.random.default_rng(0)
    lengths = {"tokens": TOKEN_COUNT, "frames": FRAME_COUNT}
    made: dict[str, Array] = {}
    for tensor in stage.inputs:
        shape = tensor.shape(config, 1, lengths)
        made[tensor.name] = random.standard_normal(shape).astype(np.float32)
        if tensor.dtype == "int32":
            made[tensor.name] = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) * TOKEN_COUNT // FRAME_COUNT
    counts = {"token_count": TOKEN_COUNT, "frame_count": FRAME_COUNT}
    made |= {name: np.array([count], np.int32) for name, count in counts.items() if name in made}
    return made


def reduced(config: ModelConfig, stage: Stage, fails: Callable[[Inputs], bool]) -> Inputs:
    return smallest_inputs(config, stage, inputs_of(config, stage), fails, Budget(1e9))


@pytest.mark.parametrize("stage", DEVICE_STAGES, ids=lambda stage: stage.name)
def test_what_always_fails_is_reduced_to_one_step_of_valid_inputs(config: ModelConfig, stage: Stage) -> None:
    def fails(inputs: Inputs) -> bool:
        check_inputs(config, stage, inputs)
        return True

    smallest = reduced(config, stage, fails)
    lengths = check_inputs(config, stage, smallest)
    assert set(lengths.values()) == {1}
    whole = inputs_of(config, stage)
    assert what_was_left_out(stage, whole, smallest)[0].endswith("to 1")
    assert all(np.shares_memory(array, array.base) is False or array.flags.c_contiguous for array in smallest.values())


def test_a_length_that_it_takes_is_kept(config: ModelConfig) -> None:
    stage = stage_named("istft")
    smallest = reduced(config, stage, lambda inputs: int(inputs["frame_count"][0]) >= 13)
    assert check_inputs(config, stage, smallest)["frames"] == 13


def test_first_steps_are_left_out_when_the_last_ones_matter(config: ModelConfig) -> None:
    stage = stage_named("source")
    marked = inputs_of(config, stage)["f0"][0, 30]

    def fails(inputs: Inputs) -> bool:
        return bool((inputs["f0"][0] == marked).all(axis=1).any())

    assert check_inputs(config, stage, reduced(config, stage, fails))["frames"] == 1


def test_tokens_follow_the_frames_that_speak_them(config: ModelConfig) -> None:
    stage = stage_named("f0n")
    whole = inputs_of(config, stage)
    spoken = whole["prosody_features"][0, 3]

    def fails(inputs: Inputs) -> bool:
        heard = inputs["prosody_features"][0][inputs["frame_token"][0]]
        return bool((heard == spoken).all(axis=1).any())

    smallest = reduced(config, stage, fails)
    assert check_inputs(config, stage, smallest) == {"batch": 1, "tokens": 1, "frames": 1}
    assert smallest["frame_token"].tolist() == [[0]]


def test_all_channels_but_those_it_takes_become_zero(config: ModelConfig) -> None:
    stage = stage_named("duration")
    smallest = reduced(config, stage, lambda inputs: bool(inputs["text_features"][0, 5, 0] != 0))
    assert np.flatnonzero(smallest["text_features"][0].any(axis=1)).tolist() == [5]
    assert not smallest["prosody"].any()
    assert "prosody: 0 of 128 values are not zero" in what_was_left_out(stage, inputs_of(config, stage), smallest)


def test_when_time_is_up_nothing_is_left_out(config: ModelConfig) -> None:
    stage = stage_named("decoder")
    whole = inputs_of(config, stage)
    kept = smallest_inputs(config, stage, whole, lambda inputs: True, Budget(0))
    assert all(np.array_equal(kept[name], whole[name]) for name in whole)


def test_a_window_without_the_tokens_of_its_frames_does_not_exist(config: ModelConfig) -> None:
    stage = stage_named("f0n")
    whole = inputs_of(config, stage)
    assert window(config, stage, whole, TOKENS, 0, 2) is None
    frames = window(config, stage, whole, FRAMES, 0, 3)
    assert frames is not None
    assert window(config, stage, frames, TOKENS, 0, 2) is not None
