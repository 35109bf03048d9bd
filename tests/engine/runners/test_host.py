"""The alignment must be upstream's, integers and halves included."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import ModelConfig
from engine.runners.host import HostRunner, align, durations, unrounded_durations
from engine.stages import stage_named

SURE, NEVER = 100.0, -100.0


def logits_for(frames: list[int], max_dur: int = 10) -> np.ndarray:
    """Logits whose sigmoids sum to these numbers."""
    rows = [[SURE] * count + [NEVER] * (max_dur - count) for count in frames]
    return np.array(rows, np.float32)


def test_known_answer() -> None:
    frame_token, frame_count = align(logits_for([2, 1, 3])[None], np.array([3]), np.array([1.0]))
    assert frame_token.tolist() == [[0, 0, 1, 2, 2, 2]]
    assert frame_count.tolist() == [6]
    assert frame_token.dtype == frame_count.dtype == np.int32


@pytest.mark.parametrize(
    ("frames", "speed", "expected"), [(5, 2.0, 2), (7, 2.0, 4), (1, 2.0, 1), (0, 1.0, 1), (3, 0.5, 6)]
)
def test_halves_go_to_even_and_nothing_is_shorter_than_a_frame(frames: int, speed: float, expected: int) -> None:
    assert durations(logits_for([frames]), speed).tolist() == [expected]


def test_unrounded_durations_keep_their_fraction() -> None:
    np.testing.assert_allclose(unrounded_durations(logits_for([5, 0]), 2.0), [2.5, 0.0], atol=1e-12)


@settings(max_examples=50)
@given(st.integers(0, 1000), st.sampled_from([0.5, 1.0, 1.3, 2.0]))
def test_equals_upstreams_formula(seed: int, speed: float) -> None:
    logits = torch.randn(7, 10, generator=torch.Generator().manual_seed(seed))
    unrounded = torch.sigmoid(logits).sum(axis=-1) / speed
    ours = durations(logits.numpy(), speed)
    sure = ((unrounded - unrounded.floor() - 0.5).abs() > 1e-4).numpy()
    theirs = torch.round(unrounded).clamp(min=1).long().numpy()
    np.testing.assert_array_equal(ours[sure], theirs[sure])


def test_members_are_independent_and_padding_is_not_spoken(tiny_config: ModelConfig) -> None:
    logits = np.stack([logits_for([2, 1, 3]), logits_for([1, 9, 9])])
    logits[1, 1:] = np.nan
    inputs = {
        "duration_logits": logits,
        "token_count": np.array([3, 1], np.int32),
        "speed": np.array([1, 1], np.float32),
    }
    outputs = HostRunner(tiny_config).run(stage_named("alignment"), inputs)
    assert outputs["frame_token"].tolist() == [[0, 0, 1, 2, 2, 2], [0, 0, 0, 0, 0, 0]]
    assert outputs["frame_count"].tolist() == [6, 1]


def test_extreme_logits_make_no_warning() -> None:
    assert durations(np.array([[1e30, -1e30]], np.float32), 1.0).tolist() == [1]


def test_wrong_inputs_are_refused(tiny_config: ModelConfig) -> None:
    with pytest.raises(ValueError, match="alignment"):
        HostRunner(tiny_config).run(stage_named("alignment"), {})
