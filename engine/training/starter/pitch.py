"""How far two curves of F0 are apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.speech import Array

CENTS_PER_OCTAVE = 1200


def voiced_cents(ours_hz: Array, wanted_hz: Array) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Differences in cents where both curves are voiced, and, for every value, whether its voicing agrees.

    Both curves have the same shape. A value is voiced where Kokoro's harmonic source takes it to be.
    """
    ours, wanted = ours_hz.astype(np.float64), wanted_hz.astype(np.float64)
    left, right = ours > VOICED_ABOVE_HZ, wanted > VOICED_ABOVE_HZ
    both = left & right
    return CENTS_PER_OCTAVE * np.log2(ours[both] / wanted[both]), left == right
