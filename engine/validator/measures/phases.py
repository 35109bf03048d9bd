"""Which values between stages are phases, and how far two phases are from each other: on the circle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHANNELS: Mapping[str, Callable[[int], slice]] = MappingProxyType(
    {
        "harmonics": lambda channels: slice(channels // 2, channels),
        "phase": lambda channels: slice(channels),
    }
)
"""The channels that are phases, in radians, of the outputs that have any."""
PHASE_OUTPUTS = tuple(_CHANNELS)
PI = float(np.float32(np.pi))
TURN = 2 * PI
"""Of float32's pi, so that a phase of pi and one of -pi are equal."""


def on_circle(output: str, ours: NDArray[Any], reference: NDArray[Any]) -> NDArray[Any]:
    """Ours [..., channels, time] with each phase turned to where it is nearest to the reference's, in float64.

    An output without phases, or of another shape than the reference's, is returned as it is.
    """
    if output not in _CHANNELS or ours.shape != reference.shape:
        return ours
    phases = _CHANNELS[output](ours.shape[-2])
    turned = ours.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # infinity has no phase, and stays no number
        apart = turned[..., phases, :] - reference[..., phases, :]
        turned[..., phases, :] -= TURN * np.round(apart / TURN)
    return turned


def sign_flips(output: str, ours: NDArray[Any], reference: NDArray[Any]) -> int | None:
    """How many phases are exactly pi in the reference and -pi in ours; None for an output without phases.

    The two are one place on the circle, but the decoder reads the number. The reference is exactly pi only where the
    imaginary part is zero by construction, and there the sign of that zero is agreed: it is positive.
    """
    if output not in _CHANNELS or ours.shape != reference.shape:
        return None
    phases = _CHANNELS[output](ours.shape[-2])
    known = reference[..., phases, :] == np.float32(np.pi)
    return int(np.count_nonzero(known & (ours[..., phases, :] < 0)))
