"""Tests of pairing frames of different durations phoneme by phoneme."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.validator.measures.phoneme_alignment import by_phoneme, paired_frames

durations = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=12)


def frame_token(counts: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


@given(durations)
def test_every_reference_frame_pairs_with_a_same_phoneme_frame_in_order(both: list[tuple[int, int]]) -> None:
    ours, reference = frame_token([mine for mine, _ in both]), frame_token([theirs for _, theirs in both])
    pairs = paired_frames(ours, reference)
    assert np.array_equal(ours[pairs], reference)
    assert np.all(np.diff(pairs) >= 0)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [(3, 2, [0, 2]), (2, 3, [0, 1, 1]), (1, 4, [0, 0, 0, 0]), (4, 1, [2]), (5, 4, [0, 1, 3, 4])],
)
def test_a_frame_is_paired_by_its_place_in_the_phoneme(mine: int, theirs: int, expected: list[int]) -> None:
    assert paired_frames(frame_token([mine]), frame_token([theirs])).tolist() == expected


def test_other_tokens_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="different tokens"):
        paired_frames(np.array([0, 2]), np.array([0, 1, 2]))


@pytest.mark.parametrize(("per_frame", "beyond"), [(1, 0), (2, 0), (120, 1), (10, 2)])
def test_a_frame_moves_with_all_its_steps(per_frame: int, beyond: int) -> None:
    ours, reference = frame_token([1, 3, 1]), frame_token([2, 1, 1])
    pairs = paired_frames(ours, reference)
    marks = np.append(np.repeat(np.arange(5), per_frame), [9] * beyond)
    moved = by_phoneme(np.stack([marks, -marks]), pairs, 5, 1, 4 * per_frame + beyond)
    assert moved[0].tolist() == [*np.repeat([0, 0, 2, 4], per_frame), *[9] * beyond]
    assert np.array_equal(moved[1], -moved[0])


def test_padding_after_our_frames_is_not_read() -> None:
    pairs = paired_frames(frame_token([2, 2]), frame_token([1, 2]))
    moved = by_phoneme(np.array([0, 1, 2, 3, np.nan, np.nan]), pairs, 4, 0, 3)
    assert moved.tolist() == [1, 2, 3]


@pytest.mark.parametrize("extent", [0, 2, 12])
def test_an_array_of_a_different_kind_is_refused(extent: int) -> None:
    pairs = paired_frames(frame_token([2, 2]), frame_token([1, 2]))
    assert by_phoneme(np.arange(4), pairs, 4, 0, extent) is None
