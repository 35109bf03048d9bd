from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.speech import Array
from engine.stages import STAGES
from engine.validator.data.results import NotFinite
from engine.validator.measures.metrics import PHASE_OUTPUTS, PI, TURN, compare, not_finite, on_circle, sign_flips

HARMONICS, PHASE = PHASE_OUTPUTS
CHANNELS, TIMES = 4, 6
phases = arrays.arrays(np.float32, (1, CHANNELS, TIMES), elements=st.floats(-PI, PI, width=32))
turns = arrays.arrays(np.int64, (1, CHANNELS, TIMES), elements=st.integers(-3, 3))


def test_every_output_in_radians_is_compared_on_the_circle() -> None:
    outputs = {tensor.name: tensor for stage in STAGES for tensor in stage.outputs}
    assert {name for name, tensor in outputs.items() if tensor.unit == "rad"} <= set(PHASE_OUTPUTS) <= set(outputs)


@given(phases, phases)
def test_phases_stay_within_half_a_turn_and_preserve_their_circle_position(ours: Array, reference: Array) -> None:
    turned = on_circle(PHASE, ours, reference)
    assert np.abs(turned - reference).max() <= TURN / 2 + 1e-9
    np.testing.assert_allclose(np.exp(1j * turned), np.exp(1j * ours.astype(np.float64)), atol=1e-6)


@given(phases, turns)
def test_whole_turns_are_no_error(reference: Array, whole: Array) -> None:
    ours = reference + whole * TURN
    assert compare(on_circle(PHASE, ours, reference), reference).max_abs == pytest.approx(0, abs=1e-6)


def test_pi_and_minus_pi_are_equal_on_the_circle_and_counted() -> None:
    reference = np.full((1, CHANNELS, TIMES), PI, np.float32)
    metrics = compare(on_circle(PHASE, -reference, reference), reference)
    assert (metrics.max_abs, metrics.sqnr_db) == (0, None)
    assert sign_flips(PHASE, -reference, reference) == CHANNELS * TIMES
    assert sign_flips(PHASE, reference, reference) == 0
    assert sign_flips(PHASE, reference, -reference) == 0


@given(phases)
def test_only_the_second_half_of_the_harmonics_are_phases(reference: Array) -> None:
    ours = reference + np.float32(TURN)
    turned = on_circle(HARMONICS, ours, reference)
    assert np.array_equal(turned[:, : CHANNELS // 2], ours[:, : CHANNELS // 2])
    np.testing.assert_allclose(turned[:, CHANNELS // 2 :], reference[:, CHANNELS // 2 :], atol=1e-6)


def test_other_outputs_and_other_lengths_are_left_alone() -> None:
    ours = np.full((1, CHANNELS, TIMES), 7, np.float32)
    assert on_circle("audio", ours, np.zeros_like(ours)) is ours
    assert on_circle(PHASE, ours, np.zeros((1, CHANNELS, TIMES + 1), np.float32)) is ours
    assert sign_flips("audio", ours, ours) is None


def test_non_finite_values_stay_non_finite() -> None:
    reference = np.zeros((1, CHANNELS, TIMES), np.float32)
    ours = reference.copy()
    ours[0, 0, :2] = np.nan, np.inf
    expected = 100 * (1 - 2 / ours.size)
    assert compare(on_circle(PHASE, ours, reference), reference).finite_percent == pytest.approx(expected)


def test_the_first_is_the_first_in_time_not_in_memory() -> None:
    array = np.zeros((1, 3, 5), np.float32)
    array[0, 0, 4] = np.nan
    array[0, 2, 1] = np.inf
    array[0, 1, 1] = np.nan
    assert not_finite(array, 2, "frames") == NotFinite(2, 1, (1, 1), "frames", 1, 5)
    assert not_finite(array, 1, "tokens") == NotFinite(2, 1, (0, 4), "tokens", 0, 3)


@given(
    arrays.arrays(np.float32, (1, 3, 4), elements=st.sampled_from([0.0, 1.0, np.nan, np.inf, -np.inf])),
    st.sampled_from([1, 2]),
)
def test_nothing_before_the_first_is_broken(array: np.ndarray, time_axis: int) -> None:
    found = not_finite(array, time_axis, "frames")
    broken = ~np.isfinite(array)
    if found is None:
        assert not broken.any()
        return
    assert found.nan + found.infinite == broken.sum()
    assert broken[(0, *found.first)]
    assert found.first[time_axis - 1] == found.at
    assert not np.take(broken, range(found.at), axis=time_axis).any()
