"""Which convolutions are computed by minimal filtering, and by which filter: decided by sizes, here and only here.

It does not know how either is computed.
"""

from __future__ import annotations

from engine.compiler.correlation import Correlation
from engine.compiler.schedules.minimal_filter import MinimalFilter
from engine.ops.microkernel_tir import ceil_div

FORMS = (MinimalFilter(6, 3), MinimalFilter(4, 7), MinimalFilter(6, 6))
"""Sums and taps that are computed together. More of them would need fewer products and lose more to rounding."""
FEWEST_CHANNELS = 32
"""Transforms are per channel, products per pair of channels: with few channels, transforms cost more than they save."""
MOST_CHANNELS = 512
"""Transformed weights are larger. Layers of more channels are short here, and wait for their weights."""


def form_for(sizes: Correlation) -> MinimalFilter | None:
    """The minimal filter that a convolution of this size is computed with, None where it is computed directly."""
    channels = sizes.channels, sizes.out_channels
    if sizes.stride != 1 or min(channels) < FEWEST_CHANNELS or max(channels) > MOST_CHANNELS:
        return None
    best = min(FORMS, key=lambda form: _products(form, sizes.taps))
    return best if _products(best, sizes.taps) < sizes.taps else None


def _products(form: MinimalFilter, kernel_size: int) -> float:
    """Products per output, channel and row; as many as there are taps without a filter."""
    pieces = ceil_div(kernel_size, form.taps)
    if pieces > 1 and form.taps % form.outputs:
        return kernel_size
    return pieces * form.samples / form.outputs
