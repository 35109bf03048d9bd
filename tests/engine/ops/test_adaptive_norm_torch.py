"""The torch operators must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.ops import adaptive_norm as meaning
from engine.ops.adaptive_norm_torch import adaptive_norm, adaptive_norm_leaky_relu, adaptive_norm_snake

ALPHA = np.array([0.5, 1, 2, 3], np.float32)
CASES = [
    (adaptive_norm, meaning.adaptive_norm, ()),
    (adaptive_norm_leaky_relu, meaning.adaptive_norm_leaky_relu, (0.2,)),
    (adaptive_norm_snake, meaning.adaptive_norm_snake, (ALPHA,)),
]


def arguments() -> list[object]:
    generator = np.random.default_rng(0)
    x = 3 + generator.standard_normal((3, 4, 41), dtype=np.float32)
    styles = generator.standard_normal((3, 12), dtype=np.float32)
    weight, bias = generator.standard_normal((2, 4), dtype=np.float32)
    return [x, np.array([40, 1, 17], np.int32), styles, weight, bias, 3]


def tensors(values: tuple[object, ...] | list[object]) -> tuple[object, ...]:
    return tuple(torch.from_numpy(value) if isinstance(value, np.ndarray) else value for value in values)


@pytest.mark.parametrize(("operator", "numpy_meaning", "extra"), CASES)
def test_equals_the_numpy_meaning(operator: object, numpy_meaning: object, extra: tuple[object, ...]) -> None:
    values = arguments()
    values[0][1, :, 1:] = np.nan
    ours = operator(*tensors(values), *tensors(extra)).numpy()
    np.testing.assert_allclose(ours, numpy_meaning(*values, *extra), atol=1e-5)


@pytest.mark.parametrize(("operator", "numpy_meaning", "extra"), CASES)
def test_passes_torchs_operator_checks(operator: object, numpy_meaning: object, extra: tuple[object, ...]) -> None:
    checks = torch.library.opcheck(operator, (*tensors(arguments()), *tensors(extra)))
    assert set(checks.values()) == {"SUCCESS"}
