"""How far a kernel's result is from the exact one, against what rounding explains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.validator.inspection.kernel_check import IMPRECISE_FROM, WRONG_FROM, compared
from engine.validator.inspection.results import KernelVerdict

SHAPE = (1, 4, 50)
EPSILON = float(np.finfo(np.float32).eps)


def exact(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(SHAPE)


def rounded(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32)


def test_what_is_rounded_once_is_right() -> None:
    checked = compared(rounded(exact()), exact(), rounded(exact()))
    assert checked.verdict is KernelVerdict.RIGHT
    assert checked.times_floor is not None
    assert checked.times_floor <= 1
    assert checked.first_wrong is None


@given(st.integers(0, 3), st.integers(0, 49), st.floats(1e-3, 1e3))
def test_a_single_wrong_value_is_wrong_and_named(channel: int, frame: int, error: float) -> None:
    ours = rounded(exact())
    ours[0, channel, frame] += error
    checked = compared(ours, exact(), rounded(exact()))
    assert checked.verdict is KernelVerdict.WRONG
    assert checked.first_wrong.index == (0, channel, frame)
    assert checked.first_wrong.expected == exact()[0, channel, frame]


def test_what_rounds_too_much_is_imprecise() -> None:
    noise = np.random.default_rng(1).standard_normal(SHAPE) * EPSILON * IMPRECISE_FROM * 3
    assert compared(exact() + noise, exact(), rounded(exact())).verdict is KernelVerdict.IMPRECISE


def test_an_algorithm_that_rounds_more_is_allowed_to() -> None:
    noise = np.random.default_rng(1).standard_normal(SHAPE) * EPSILON * WRONG_FROM
    assert compared(exact() + noise, exact(), rounded(exact()), amplified=300).verdict is KernelVerdict.RIGHT


def test_phases_that_differ_by_a_turn_are_equal() -> None:
    turned = exact()
    turned[:, 2:, ::3] += 2 * np.pi
    assert compared(turned, exact(), exact(), phases=True).verdict is KernelVerdict.RIGHT
    assert compared(turned, exact(), exact()).verdict is KernelVerdict.WRONG


def test_the_sign_of_pi_is_not_a_matter_of_turns() -> None:
    truth = exact()
    truth[:, 2:, 0] = np.float32(np.pi)
    turned = truth.copy()
    turned[:, 3, 0] *= -1
    assert compared(truth, truth, truth, phases=True).verdict is KernelVerdict.RIGHT
    assert compared(turned, truth, truth, phases=True).verdict is KernelVerdict.WRONG


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_wrong_unless_pytorch_has_it_too(value: float) -> None:
    ours = exact()
    ours[0, 1, 7] = value
    checked = compared(ours, exact(), exact())
    assert checked.verdict is KernelVerdict.WRONG
    assert (checked.first_wrong.index, checked.first_wrong.ours) == ((0, 1, 7), None)
    assert checked.finite_percent == 99.5
    assert compared(ours, ours, ours).verdict is KernelVerdict.UNKNOWN


def test_zeros_that_should_be_zeros_are_right() -> None:
    zeros = np.zeros(SHAPE)
    assert compared(zeros, zeros, zeros).verdict is KernelVerdict.RIGHT
    assert compared(zeros + 1e-3, zeros, zeros).verdict is KernelVerdict.WRONG
