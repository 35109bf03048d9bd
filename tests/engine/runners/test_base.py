"""Wrong inputs must be named before anything runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.runners.base import JoinedRunner, check_inputs, cropped, named_outputs
from engine.speech import Array
from engine.stages import Stage, stage_named

DURATION = stage_named("duration")
DECODER = stage_named("decoder")


def inputs(config: ModelConfig) -> dict[str, np.ndarray]:
    return {
        "text_features": np.zeros((2, config.hidden_dim, 5), np.float32),
        "prosody": np.zeros((2, config.style_dim), np.float32),
        "token_count": np.array([5, 3], np.int32),
    }


def test_right_inputs_tell_their_lengths(tiny_config: ModelConfig) -> None:
    assert check_inputs(tiny_config, DURATION, inputs(tiny_config)) == {"batch": 2, "tokens": 5}


def test_derived_axes_tell_the_same_length(tiny_config: ModelConfig) -> None:
    columns = 3 * tiny_config.stft_frames_per_frame + 1
    spectrum = np.zeros((1, tiny_config.frequency_bins, columns), np.float32)
    values = {"magnitude": spectrum, "phase": spectrum, "frame_count": np.array([3], np.int32)}
    assert check_inputs(tiny_config, stage_named("istft"), values) == {"batch": 1, "frames": 3}


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("prosody", None, "takes text_features, prosody, token_count"),
        ("speed", np.zeros(2, np.float32), "it was given .*speed"),
        ("prosody", np.zeros((2, 9), np.float32), r"prosody must be float32 \(2, 8\)"),
        ("prosody", np.zeros((2, 8)), "not float64"),
        ("prosody", np.zeros((1, 8), np.float32), r"not float32 \(1, 8\)"),
        ("text_features", np.zeros((2, 32), np.float32), "must have 3 axes, not 2"),
        ("token_count", np.array([5, 0], np.int32), "must lie in 1 to 5"),
        ("token_count", np.array([6, 1], np.int32), "must lie in 1 to 5"),
    ],
)
def test_wrong_inputs_are_named(tiny_config: ModelConfig, name: str, wrong: np.ndarray | None, message: str) -> None:
    values = inputs(tiny_config)
    values.pop(name, None)
    if wrong is not None:
        values[name] = wrong
    with pytest.raises(ValueError, match=message):
        check_inputs(tiny_config, DURATION, values)


def test_axes_of_the_same_length_must_agree(tiny_config: ModelConfig) -> None:
    lengths = {"tokens": 4, "frames": 6}
    values = {t.name: np.ones(t.shape(tiny_config, 1, lengths), t.dtype) for t in DECODER.inputs}
    values["energy"] = values["energy"][:, :5]
    with pytest.raises(ValueError, match=r"energy must be float32 \(1, 6, 2\)"):
        check_inputs(tiny_config, DECODER, values)


def test_cropping_takes_the_valid_part(tiny_config: ModelConfig) -> None:
    harmonics = DECODER.inputs[-1]
    array = np.zeros(harmonics.shape(tiny_config, 1, {"frames": 6}), np.float32)[0]
    assert (
        cropped(tiny_config, harmonics, array, {"frames": 2}).shape
        == harmonics.shape(tiny_config, 1, {"frames": 2})[1:]
    )
    assert cropped(tiny_config, harmonics, array, {"tokens": 2}).shape == array.shape


def test_inner_values_follow_the_outputs() -> None:
    values = [np.full(1, number) for number in range(4)]
    seen: dict[str, np.ndarray] = {}
    outputs = named_outputs(DURATION, values, ("predictor.lstm", "predictor.text_encoder.lstms.0"), seen.__setitem__)
    assert outputs == {"duration_logits": values[0], "prosody_features": values[1]}
    assert seen == {"predictor.lstm": values[2], "predictor.text_encoder.lstms.0": values[3]}
    assert named_outputs(DURATION, values, tuple(seen)) == outputs


@pytest.mark.parametrize("paths", [(), ("predictor.lstm",), ("a", "b", "c")])
def test_values_that_no_path_or_output_accounts_for_are_an_error(paths: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="argument 2 is"):
        named_outputs(DURATION, [np.zeros(1)] * 4, paths)


class Stand:
    """Stands in for a runner; tells which one was asked to run."""

    def __init__(self, number: float) -> None:
        self.number = number
        self.closed = 0

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return {stage.name: np.array([self.number])}

    def close(self) -> None:
        self.closed += 1


def test_each_stage_runs_with_its_runner() -> None:
    first, second = Stand(1), Stand(2)
    runner = JoinedRunner({"duration": second}, first)
    numbers = {name: runner.run(stage_named(name), {})[name][0] for name in ("bert", "duration", "decoder")}
    assert numbers == {"bert": 1, "duration": 2, "decoder": 1}


def test_only_owned_runners_are_closed_once() -> None:
    first, second = Stand(1), Stand(2)
    JoinedRunner({"bert": first, "duration": first}, second, [first]).close()
    assert (first.closed, second.closed) == (1, 0)
