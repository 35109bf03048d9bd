"""Time stretching: another speed at the same pitch."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from engine.speech import Samples

SEED = 1
"""The seed for the phases of unpitched audio: arbitrary but constant."""


def stretched(samples: Samples, times_faster: float, sample_rate_hz: int) -> Samples:
    """Stretch `samples` [n], any n, to [round(n / times_faster)], with timing exact to a millisecond."""
    stretch = _stretch(sample_rate_hz)
    stretch.setTimeFactor(times_faster)
    return np.asarray(stretch.process(np.ascontiguousarray(samples[None], np.float32))[0], np.float32)


@cache
def _stretch(sample_rate_hz: int) -> Any:
    from python_stretch import Signalsmith  # only once a speed has been changed

    stretch = Signalsmith.Stretch(SEED)
    stretch.preset(1, sample_rate_hz)
    return stretch
