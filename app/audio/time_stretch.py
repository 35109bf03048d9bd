"""Speech faster or slower at the same pitch."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from engine.speech import Samples

SEED = 1
"""Of the phases of what has no pitch: any, but always the same."""


def stretched(samples: Samples, times_faster: float, sample_rate_hz: int) -> Samples:
    """The sound of `samples` [n], any n, in [round(n / times_faster)] samples, to within a millisecond in place."""
    stretch = _stretch(sample_rate_hz)
    stretch.setTimeFactor(times_faster)
    return np.asarray(stretch.process(np.ascontiguousarray(samples[None], np.float32))[0], np.float32)


@cache
def _stretch(sample_rate_hz: int) -> Any:
    from python_stretch import Signalsmith  # only once a speed has been changed

    stretch = Signalsmith.Stretch(SEED)
    stretch.preset(1, sample_rate_hz)
    return stretch
