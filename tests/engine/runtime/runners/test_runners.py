"""Wrong inputs must be named before anything runs."""

from collections.abc import Mapping

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import ModelConfig
from engine.network.random_weights import network_with, random_weights
from engine.network.reference import Reference
from engine.runtime.runners.base import JoinedRunner, check_inputs, cropped, named_outputs
from engine.runtime.runners.host import HostRunner, align, durations, unrounded_durations
from engine.runtime.runners.torch_runner import ExportableRunner, ReferenceRunner
from engine.speech import Array
from engine.stages import Stage, stage_named
from tests.engine.network.utterances import all_values, opening

DURATION = stage_named("duration")
DECODER = stage_named("decoder")


def inputs(config: ModelConfig) -> dict[str, np.ndarray]:
    return {
        "text_features": np.zeros((2, config.hidden_dim, 5), np.float32),
        "prosody": np.zeros((2, config.style_dim), np.float32),
        "token_count": np.array([5, 3], np.int32),
    }


def test_right_inputs_tell_their_lengths(tiny_config):
    assert check_inputs(tiny_config, DURATION, inputs(tiny_config)) == {"batch": 2, "tokens": 5}


def test_derived_axes_tell_the_same_length(tiny_config):
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
def test_wrong_inputs_are_named(tiny_config, name, wrong, message):
    values = inputs(tiny_config)
    values.pop(name, None)
    if wrong is not None:
        values[name] = wrong
    with pytest.raises(ValueError, match=message):
        check_inputs(tiny_config, DURATION, values)


def test_axes_of_the_same_length_must_agree(tiny_config):
    lengths = {"tokens": 4, "frames": 6}
    values = {t.name: np.ones(t.shape(tiny_config, 1, lengths), t.dtype) for t in DECODER.inputs}
    values["energy"] = values["energy"][:, :5]
    with pytest.raises(ValueError, match=r"energy must be float32 \(1, 6, 2\)"):
        check_inputs(tiny_config, DECODER, values)


def test_cropping_takes_the_valid_part(tiny_config):
    harmonics = DECODER.inputs[-1]
    array = np.zeros(harmonics.shape(tiny_config, 1, {"frames": 6}), np.float32)[0]
    assert (
        cropped(tiny_config, harmonics, array, {"frames": 2}).shape
        == harmonics.shape(tiny_config, 1, {"frames": 2})[1:]
    )
    assert cropped(tiny_config, harmonics, array, {"tokens": 2}).shape == array.shape


def test_activations_follow_the_outputs():
    values = [np.full(1, number) for number in range(4)]
    seen: dict[str, np.ndarray] = {}
    outputs = named_outputs(DURATION, values, ("predictor.lstm", "predictor.text_encoder.lstms.0"), seen.__setitem__)
    assert outputs == {"duration_logits": values[0], "prosody_features": values[1]}
    assert seen == {"predictor.lstm": values[2], "predictor.text_encoder.lstms.0": values[3]}
    assert named_outputs(DURATION, values, tuple(seen)) == outputs


@pytest.mark.parametrize("paths", [(), ("predictor.lstm",), ("a", "b", "c")])
def test_values_that_no_path_or_output_accounts_for_are_an_error(paths):
    with pytest.raises(ValueError, match="argument 2 is"):
        named_outputs(DURATION, [np.zeros(1)] * 4, paths)


class Stand:
    """Stands in for a runner; records which one was asked to run."""

    def __init__(self, number: float) -> None:
        self.number = number
        self.closed = 0

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return {stage.name: np.array([self.number])}

    def close(self) -> None:
        self.closed += 1


def test_each_stage_runs_with_its_runner():
    first, second = Stand(1), Stand(2)
    runner = JoinedRunner({"duration": second}, first)
    numbers = {name: runner.run_stage(stage_named(name), {})[name][0] for name in ("bert", "duration", "decoder")}
    assert numbers == {"bert": 1, "duration": 2, "decoder": 1}


def test_only_owned_runners_are_closed_once():
    first, second = Stand(1), Stand(2)
    JoinedRunner({"bert": first, "duration": first}, second, [first]).close()
    assert (first.closed, second.closed) == (1, 0)


SURE, NEVER = 100.0, -100.0


def logits_for(frames: list[int], max_dur: int = 10) -> np.ndarray:
    """Return logits whose sigmoids sum to these numbers."""
    rows = [[SURE] * count + [NEVER] * (max_dur - count) for count in frames]
    return np.array(rows, np.float32)


def test_known_answer():
    frame_token, frame_count = align(logits_for([2, 1, 3])[None], np.array([3]), np.array([1.0]))
    assert frame_token.tolist() == [[0, 0, 1, 2, 2, 2]]
    assert frame_count.tolist() == [6]
    assert frame_token.dtype == frame_count.dtype == np.int32


@pytest.mark.parametrize(
    ("frames", "speed", "expected"), [(5, 2.0, 2), (7, 2.0, 4), (1, 2.0, 1), (0, 1.0, 1), (3, 0.5, 6)]
)
def test_halves_go_to_even_and_nothing_is_shorter_than_a_frame(frames, speed, expected):
    assert durations(logits_for([frames]), speed).tolist() == [expected]


def test_unrounded_durations_keep_their_fraction():
    np.testing.assert_allclose(unrounded_durations(logits_for([5, 0]), 2.0), [2.5, 0.0], atol=1e-12)


@settings(max_examples=50)
@given(st.integers(0, 1000), st.sampled_from([0.5, 1.0, 1.3, 2.0]))
def test_equals_upstreams_formula(seed, speed):
    logits = torch.randn(7, 10, generator=torch.Generator().manual_seed(seed))
    unrounded = torch.sigmoid(logits).sum(axis=-1) / speed
    ours = durations(logits.numpy(), speed)
    sure = ((unrounded - unrounded.floor() - 0.5).abs() > 1e-4).numpy()
    theirs = torch.round(unrounded).clamp(min=1).long().numpy()
    np.testing.assert_array_equal(ours[sure], theirs[sure])


def test_members_are_independent_and_padding_is_not_spoken(tiny_config):
    logits = np.stack([logits_for([2, 1, 3]), logits_for([1, 9, 9])])
    logits[1, 1:] = np.nan
    inputs = {
        "duration_logits": logits,
        "token_count": np.array([3, 1], np.int32),
        "speed": np.array([1, 1], np.float32),
    }
    outputs = HostRunner(tiny_config).run_stage(stage_named("alignment"), inputs)
    assert outputs["frame_token"].tolist() == [[0, 0, 1, 2, 2, 2], [0, 0, 0, 0, 0, 0]]
    assert outputs["frame_count"].tolist() == [6, 1]


def test_extreme_logits_make_no_warning():
    assert durations(np.array([[1e30, -1e30]], np.float32), 1.0).tolist() == [1]


def test_the_host_refuses_wrong_inputs(tiny_config):
    with pytest.raises(ValueError, match="alignment"):
        HostRunner(tiny_config).run_stage(stage_named("alignment"), {})


COUNTS = [5, 2]


@pytest.fixture(scope="module")
def runners(tiny_config: ModelConfig) -> tuple[ReferenceRunner, ExportableRunner]:
    network = network_with(tiny_config, random_weights(tiny_config, 0))
    return ReferenceRunner(Reference(network)), ExportableRunner(network)


def test_the_reference_runs_each_member_alone(tiny_config, runners):
    start = opening(tiny_config, COUNTS)
    both = all_values(tiny_config, runners[0], start)
    for index, count in enumerate(COUNTS):
        alone = {name: array[index : index + 1] for name, array in start.items()}
        alone["tokens"] = alone["tokens"][:, :count]
        frames = int(both["frame_count"][index])
        alone["source_noise"] = both["source_noise"][index : index + 1, :frames]
        values = all_values(tiny_config, runners[0], alone)
        samples = frames * tiny_config.samples_per_frame
        np.testing.assert_array_equal(both["audio"][index, :samples], values["audio"][0])
        assert not both["audio"][index, samples:].any()


def test_the_reference_shows_the_probes_of_every_member(tiny_config):
    seen: list[str] = []
    reference = Reference(network_with(tiny_config, random_weights(tiny_config, 0)))
    runner = ReferenceRunner(reference, lambda path, array: seen.append(path))
    start = opening(tiny_config, COUNTS)
    runner.run_stage(stage_named("text_encoder"), {name: start[name] for name in ("tokens", "token_count")})
    assert seen.count("text_encoder.lstm") == len(COUNTS)


def test_the_exportable_stages_show_the_probes_of_the_whole_batch(tiny_config):
    seen: dict[str, np.ndarray] = {}
    runner = ExportableRunner(network_with(tiny_config, random_weights(tiny_config, 0)), observe=seen.__setitem__)
    start = opening(tiny_config, COUNTS)
    outputs = runner.run_stage(stage_named("text_encoder"), {name: start[name] for name in ("tokens", "token_count")})
    assert set(outputs) == {"phoneme_features"}
    assert set(seen) == {"text_encoder.cnn.0", "text_encoder.cnn.1", "text_encoder.lstm"}
    assert seen["text_encoder.lstm"].shape == (len(COUNTS), max(COUNTS), tiny_config.hidden_dim)


def test_the_two_agree_on_a_batch(tiny_config, runners):
    values = all_values(tiny_config, runners[0], opening(tiny_config, COUNTS))
    for name in ("text_encoder", "istft"):
        stage = stage_named(name)
        outputs = runners[1].run_stage(stage, {tensor.name: values[tensor.name] for tensor in stage.inputs})
        for tensor, array in outputs.items():
            np.testing.assert_allclose(array, values[tensor], atol=1e-5)


@pytest.mark.parametrize("which", [0, 1])
def test_torch_refuses_wrong_inputs(runners, which):
    with pytest.raises(ValueError, match="bert takes tokens, token_count"):
        runners[which].run_stage(stage_named("bert"), {"tokens": np.zeros((1, 3), np.int32)})


def test_inputs_may_be_read_only(runners):
    inputs = {"tokens": np.zeros((1, 3), np.int32), "token_count": np.array([3], np.int32)}
    for array in inputs.values():
        array.flags.writeable = False
    for runner in runners:
        assert runner.run_stage(stage_named("bert"), inputs)["text_features"].shape[2] == 3
        runner.close()
