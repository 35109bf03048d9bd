"""Every number against its definition, also in limiting cases, and always valid in JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from engine.validator.data.results import DurationMetrics, Metrics, Profile
from engine.validator.measures.metrics import (
    BLOCK_VALUES,
    MAX_CELLS,
    NOT_FINITE,
    compare,
    compare_durations,
    is_finite,
    profile,
)

SHAPES = arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
SCALES = st.floats(1e-3, 1e3)


def noise(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def number(value: float | None) -> float:
    assert value is not None
    return value


def assert_is_json(metrics: Metrics) -> None:
    json.dumps(asdict(metrics), allow_nan=False)


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, BLOCK_VALUES), (1, 2 * BLOCK_VALUES + 1)])
def test_equals_the_definitions(shape: tuple[int, ...]) -> None:
    reference = noise(0, *shape) + 3
    ours = reference + 0.01 * noise(1, *shape)
    a, b = ours.astype(np.float64).ravel(), reference.astype(np.float64).ravel()
    metrics = compare(ours, reference)
    assert metrics.pearson == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-12)
    assert metrics.cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-12)
    assert metrics.sqnr_db == pytest.approx(10 * np.log10((b**2).sum() / ((a - b) ** 2).sum()), rel=1e-9)
    assert metrics.max_abs == np.abs(a - b).max()
    assert metrics.relative_l2 == pytest.approx(np.linalg.norm(a - b) / np.linalg.norm(b), rel=1e-9)
    assert metrics.finite_percent == 100
    assert metrics.tail_energy is None


@given(arrays_of.arrays(st.sampled_from([np.float32, np.float64, np.int32, np.bool_]), SHAPES))
def test_an_array_equals_itself(array: np.ndarray) -> None:
    metrics = compare(array, array.copy())
    assert_is_json(metrics)
    if is_finite(array).all():
        assert metrics == Metrics(pytest.approx(1.0), pytest.approx(1.0), None, 0.0, 0.0, 100.0)


@given(st.data())
def test_every_result_is_json_and_in_its_range(data: st.DataObject) -> None:
    kind, shape = data.draw(st.sampled_from([np.float32, np.float64])), data.draw(SHAPES)
    ours, reference = (data.draw(arrays_of.arrays(kind, shape)) for _ in range(2))
    metrics = compare(ours, reference, data.draw(arrays_of.arrays(kind, SHAPES)))
    assert_is_json(metrics)
    assert 0 <= number(metrics.tail_energy) <= NOT_FINITE
    if metrics.pearson is None:
        assert not (is_finite(ours).all() and is_finite(reference).all())
    else:
        assert -1 <= metrics.pearson <= 1
        assert -1 <= number(metrics.cosine) <= 1
        assert number(metrics.max_abs) >= 0


@given(st.integers(0, 1000), SCALES)
def test_scaling_both_changes_only_the_absolute_error(seed: int, scale: float) -> None:
    ours, reference = noise(seed, 50).astype(np.float64), noise(seed + 1, 50).astype(np.float64)
    plain, scaled = compare(ours, reference), compare(scale * ours, scale * reference)
    assert scaled.max_abs == pytest.approx(scale * number(plain.max_abs))
    for name in ("pearson", "cosine", "sqnr_db", "relative_l2"):
        assert getattr(scaled, name) == pytest.approx(getattr(plain, name), abs=1e-9)


@given(st.integers(0, 1000), SCALES, st.floats(-10, 10))
def test_correlation_is_blind_to_scale_and_offset_and_the_error_is_not(seed: int, scale: float, offset: float) -> None:
    assume(abs(scale - 1) > 1e-3)
    reference = noise(seed, 50).astype(np.float64)
    metrics = compare(scale * reference + offset, reference)
    assert metrics.pearson == pytest.approx(1.0, abs=1e-6)
    assert number(metrics.relative_l2) > 1e-4
    assert compare(-reference, reference).pearson == pytest.approx(-1.0)


@given(st.integers(0, 1000))
def test_correlation_cosine_and_largest_error_are_symmetric(seed: int) -> None:
    a, b = noise(seed, 4, 9), noise(seed + 1, 4, 9)
    one, other = compare(a, b), compare(b, a)
    assert (one.pearson, one.cosine, one.max_abs) == (other.pearson, other.cosine, other.max_abs)


def test_a_small_variation_on_a_large_offset_is_still_correlated() -> None:
    variation = noise(0, 1000).astype(np.float64)
    assert compare(1e6 + variation + 0.1 * noise(1, 1000), 1e6 + variation).pearson == pytest.approx(0.995, abs=2e-3)


@pytest.mark.parametrize("lowest_db", [20, 60, 100])
def test_sqnr_of_noise_of_known_power(lowest_db: float) -> None:
    reference = noise(0, 100_000).astype(np.float64)
    error = 10 ** (-lowest_db / 20) * noise(1, 100_000).astype(np.float64)
    assert compare(reference + error, reference).sqnr_db == pytest.approx(lowest_db, abs=0.1)


@pytest.mark.parametrize(
    ("ours", "reference", "pearson"),
    [
        (1.0, 1.0, 1),
        (1.0, 1.0 + 1.9e-5, 1),
        (1.0, 1.0 + 2.1e-5, 0),
        (200.0, 200.001, 1),
        (200.0, 200.003, 0),
        (0.0, 0.9e-5, 1),
        (0.0, 1.1e-5, 0),
        (1.0, -1.0, 0),
    ],
)
def test_constants_correlate_when_equal(ours: float, reference: float, pearson: float) -> None:
    assert compare(np.full((2, 3), ours), np.full((2, 3), reference)).pearson == pearson


def test_rounding_of_a_constant_is_not_a_signal() -> None:
    constant = np.full(100, 0.1, np.float32)
    rounded = np.nextafter(constant, np.where(np.arange(100) % 2, 1, 0).astype(np.float32))
    assert compare(rounded, constant).pearson == 1
    assert compare(rounded, rounded[::-1]).pearson == 1
    for flat in (constant, rounded):
        assert compare(noise(0, 100), flat).pearson == 0
        assert compare(flat, noise(0, 100)).pearson == 0


def test_an_all_zero_reference_makes_errors_absolute() -> None:
    metrics = compare(np.full(4, 0.01), np.zeros(4))
    assert metrics == Metrics(0.0, 0.0, pytest.approx(40.0), 0.01, pytest.approx(0.01), 100.0)
    assert compare(np.zeros(4), np.zeros(4)) == Metrics(1.0, 1.0, None, 0.0, 0.0, 100.0)
    assert compare(np.zeros(4), np.ones(4)) == Metrics(0.0, 0.0, pytest.approx(0.0), 1.0, 1.0, 100.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_non_finite_values_leave_only_the_finite_percentage(value: float) -> None:
    ours = noise(0, 2, 4)
    reference = ours.copy()
    ours[1, 1] = value
    assert compare(ours, reference, np.ones(3)) == Metrics(None, None, None, None, None, 87.5, 1.0)
    assert compare(reference, ours) == Metrics(None, None, None, None, None, 100.0)


def test_beyond_float32_is_not_finite() -> None:
    assert compare(np.array([1e39, 1.0]), np.zeros(2)).finite_percent == 50
    assert compare(np.array([3e38, 1.0]), np.zeros(2)).finite_percent == 100


@pytest.mark.parametrize(
    ("tail", "energy"),
    [
        ([], 0.0),
        ([0.0, 0.0], 0.0),
        ([[3.0, -4.0]], 12.5),
        ([1.0, math.nan], NOT_FINITE),
        ([-math.inf], NOT_FINITE),
        ([3e38], NOT_FINITE),
    ],
)
def test_energy_in_the_padding(tail: list, energy: float) -> None:
    assert compare(np.ones(1), np.ones(1), np.array(tail, np.float32)).tail_energy == pytest.approx(energy)


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((1, 3), (3,)), ((0,), (0, 1))])
def test_other_shapes_are_refused(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="be compared"):
        compare(np.zeros(shapes[0]), np.zeros(shapes[1]))


def logits_for(durations: list[float], max_dur: int = 8) -> np.ndarray:
    """Return logits whose sigmoids add up to these numbers, which are at least 1e-9 less than `max_dur`."""
    chances = np.clip(np.array(durations)[:, None] / max_dur, 1e-9, 1 - 1e-9)
    return np.broadcast_to(np.log(chances / (1 - chances)), (len(durations), max_dur))


def spoken(frames: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(frames), dtype=np.int32), frames)


def test_equal_alignments() -> None:
    logits, frames = logits_for([2.0, 3.0]), spoken([2, 3])
    assert compare_durations(logits, logits, frames, frames, 1.0) == DurationMetrics(0, 0, 5, 5)


@pytest.mark.parametrize(
    ("unrounded", "ours", "reference", "tie"),
    [
        (2.49995, 3, 2, True),
        (2.50005, 2, 3, True),
        (2.5, 3, 2, True),
        (2.4998, 3, 2, False),
        (2.5002, 2, 3, False),
        (3.0, 4, 3, False),
        (2.5, 4, 2, False),
        (2.5, 0, 2, False),
        (0.5, 2, 1, False),
    ],
)
def test_a_tie_may_round_either_way_but_no_further(unrounded: float, ours: int, reference: int, tie: bool) -> None:
    logits = logits_for([1.0, unrounded, 2.0])
    metrics = compare_durations(logits, logits, spoken([1, ours, 2]), spoken([1, reference, 2]), 1.0)
    assert metrics == DurationMetrics(1, int(tie), 3 + ours, 3 + reference)


def test_the_speed_divides_before_rounding() -> None:
    logits = logits_for([5.0, 4.0])
    assert compare_durations(logits, logits, spoken([3, 2]), spoken([2, 2]), 2.0).ties == 1
    assert compare_durations(logits, logits, spoken([6, 4]), spoken([5, 4]), 1.0).ties == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20))
def test_differing_tokens_are_counted_each_for_itself(counts: list[tuple[int, int]]) -> None:
    ours, reference = ([pair[side] for pair in counts] for side in (0, 1))
    logits = logits_for([2.0] * len(counts))
    metrics = compare_durations(logits, logits, spoken(ours), spoken(reference), 1.0)
    assert metrics == DurationMetrics(sum(a != b for a, b in counts), 0, sum(ours), sum(reference))


def test_logits_that_are_not_finite_make_no_ties() -> None:
    logits = np.full((1, 8), np.nan)
    assert compare_durations(logits, logits, spoken([1]), spoken([2]), 1.0) == DurationMetrics(1, 0, 1, 2)


def test_alignments_of_other_tokens_are_refused() -> None:
    with pytest.raises(ValueError, match="be compared"):
        compare_durations(logits_for([1.0]), logits_for([1.0, 1.0]), spoken([1]), spoken([1, 1]), 1.0)
    with pytest.raises(ValueError, match="speaks token 1, but there are 1"):
        compare_durations(logits_for([1.0]), logits_for([1.0]), spoken([1, 1]), spoken([1]), 1.0)


def profile_noise(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_known_profile() -> None:
    reference = np.array([[2.0, -2.0, 2.0], [2.0, 2.0, -2.0]])
    ours = reference + np.array([[0.0, 1.0, 0.0], [0.0, -3.0, 0.5]])
    assert profile(ours, reference, 1, "frames") == Profile("frames", (0.0, 1.5, 0.25))
    assert profile(ours, reference, 0, "tokens") == Profile("tokens", (0.5, 1.5))


@given(st.integers(1, 3000), st.data())
def test_an_error_shows_in_its_cell_alone(steps: int, data: st.DataObject) -> None:
    step = data.draw(st.integers(0, steps - 1))
    reference = np.ones((1, 3, steps), np.float32)
    ours = reference.copy()
    ours[0, data.draw(st.integers(0, 2)), step] += data.draw(st.sampled_from([-0.5, 0.5]))
    errors = np.array(profile(ours, reference, 2, "frames").errors)
    cells = min(steps, MAX_CELLS)
    assert len(errors) == cells
    (cell,) = np.flatnonzero(errors)
    assert errors[cell] == 0.5
    assert cell * steps // cells <= step < (cell + 1) * steps // cells


@given(st.sampled_from([512, 513, 1023, 1024, 120 * 40 + 1]), st.integers(0, 1000))
def test_many_steps_keep_the_largest_error_of_each_cell(steps: int, seed: int) -> None:
    reference, ours = profile_noise(seed, 2, steps), profile_noise(seed + 1, 2, steps)
    errors = np.abs(ours.astype(np.float64) - reference).max(axis=0)
    rms = np.sqrt(np.mean(np.square(reference, dtype=np.float64)))
    borders = np.arange(MAX_CELLS + 1) * steps // MAX_CELLS
    expected = [errors[first:last].max() / rms for first, last in pairwise(borders)]
    np.testing.assert_allclose(profile(ours, reference, 1, "frames").errors, expected, rtol=1e-3)


@pytest.mark.parametrize("axis", [1, -2])
def test_time_may_run_along_any_axis(axis: int) -> None:
    reference, ours = profile_noise(0, 2, 7, 3), profile_noise(1, 2, 7, 3)
    expected = profile(np.moveaxis(ours, 1, 2), np.moveaxis(reference, 1, 2), 2, "frames")
    assert profile(ours, reference, axis, "frames") == expected


def test_errors_have_four_digits() -> None:
    ours = np.array([1.0, 1 + 1 / 3, 1 + 1.23456e-7])
    assert profile(ours, np.ones(3), 0, "tokens").errors == (0.0, 0.3333, 1.235e-07)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_non_finite_values_stand_out_at_their_position(value: float) -> None:
    reference = np.ones((2, 1000), np.float32)
    broken = reference.copy()
    broken[1, 999] = value
    for ours, theirs in ((broken, reference), (reference, broken), (broken, broken)):
        errors = profile(ours, theirs, 1, "frames").errors
        assert errors[-1] == NOT_FINITE
        assert set(errors[:-1]) == {0.0}


@pytest.mark.parametrize(("shape", "cells"), [((0,), 0), ((3, 0), 0), ((0, 3), 3)])
def test_nothing_to_compare_is_no_error(shape: tuple[int, ...], cells: int) -> None:
    assert profile(np.zeros(shape), np.zeros(shape), -1, "frames").errors == (0.0,) * cells


@given(st.data())
def test_every_profile_is_json(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([np.float32, np.float64, np.int32, np.bool_]))
    shape = data.draw(arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    ours, reference = (data.draw(arrays_of.arrays(kind, shape)) for _ in range(2))
    errors = profile(ours, reference, 0, "frames").errors
    json.dumps(errors, allow_nan=False)
    assert len(errors) == shape[0]
    assert all(0 <= error <= NOT_FINITE for error in errors)


def test_other_shapes_and_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="be compared"):
        profile(np.zeros(3), np.zeros(4), 0, "frames")
    with pytest.raises(ValueError, match="axis"):
        profile(np.zeros(3), np.zeros(3), 1, "frames")
