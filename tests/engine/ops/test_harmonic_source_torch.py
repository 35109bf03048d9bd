"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops import harmonic_source as meaning
from engine.ops.harmonic_source_torch import harmonic_source


def arguments() -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    f0 = 100 + 50 * generator.standard_normal((2, 4, 2), dtype=np.float32)
    noise = generator.standard_normal((2, 4, 600, 9), dtype=np.float32)
    weight = generator.standard_normal((1, 9), dtype=np.float32)
    return [f0, noise, np.array([4, 2], np.int32), weight, np.zeros(1, np.float32)]


def test_equals_the_numpy_meaning() -> None:
    ours = harmonic_source(*map(torch.from_numpy, arguments()), 20, 5)
    np.testing.assert_array_equal(ours.numpy(), meaning.harmonic_source(*arguments(), 20, 5))


def test_passes_torchs_operator_checks() -> None:
    checks = torch.library.opcheck(harmonic_source, (*map(torch.from_numpy, arguments()), 20, 5))
    assert set(checks.values()) == {"SUCCESS"}
