"""How a convolution is computed, directly or by which filter: decided by sizes unless a measurement decided otherwise.

From that follow its kernel and how its weight is packed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tvm.tirx import PrimFunc

from engine.kernels.convolution import Correlation, Ending, WeightAt
from engine.kernels.cpu.cache import LINE
from engine.kernels.cpu.direct_conv import correlation_kernel, correlation_weight
from engine.kernels.cpu.direct_plan import CorrelationPlan
from engine.kernels.cpu.register_tile import AVX2, Microkernel
from engine.kernels.cpu.winograd import MinimalFilter
from engine.kernels.cpu.winograd_conv import filtering_kernel
from engine.kernels.cpu.winograd_plan import Filtering
from engine.kernels.cpu.winograd_tiles import filtering_weight
from engine.kernels.mathematics import ceil_div

FORMS = (MinimalFilter(3, 2), MinimalFilter(6, 3), MinimalFilter(3, 5), MinimalFilter(4, 7), MinimalFilter(6, 6))
"""Sums and taps that are computed together. More of them would need fewer products and lose more to rounding.

Two taps are those of transposed convolutions, which have many rows: more sums would have them read larger weights.
"""
LIGHT_FORMS = (MinimalFilter(3, 2), MinimalFilter(4, 3), MinimalFilter(2, 5), MinimalFilter(4, 7), MinimalFilter(6, 6))
"""Of layers with many channels: their transformed weights are megabytes, and smaller ones cost little time."""
HEAVY_CHANNELS = 256
"""With so many, a convolution of 3 taps takes 5 % longer by a light form, and its weights 3/4 of the memory."""
CAREFUL_FORM = MinimalFilter(2, 3)
"""Its transforms add and halve: little is lost to rounding."""
FEWEST_CHANNELS = 16
"""Transforms are per channel, products per pair of channels: with few channels, transforms cost more than they save.

128 to 22 channels with 7 taps still take a quarter less time with a filter, 32 to 22 a fifth less.
"""
MOST_CHANNELS = 512
"""Transformed weights are larger. Layers of more channels are short here, and wait for their weights."""
MANY_CHANNELS = 512
"""Layers of so many are short here, text or frames: tiles of one vector in each row leave the least of them empty."""

MOST_VECTORS = 3
"""In a row of a register tile: more would leave no registers for the samples on every processor."""


@dataclass(frozen=True)
class Choice:
    """How a convolution is computed: its filter, None if directly, and its register tile."""

    form: MinimalFilter | None
    rows: int
    columns: int


def choice_for(sizes: Correlation, microkernel: Microkernel) -> Choice:
    """What was found best for these sizes, else what follows from them."""
    for tuned, choice in microkernel.tuned:
        if tuned == sizes.unplaced and isinstance(choice, Choice):
            return choice
    return _usual(sizes, microkernel)


def _direct_tile(sizes: Correlation, microkernel: Microkernel) -> Microkernel:
    """With AVX-512, of one vector in each row; with AVX2 and a single tap, of two.

    A multiplication of AVX-512 then reads its weight from memory. Those of the tile's rows fill a line of the cache,
    and as many rows divide most layers. With AVX2, packed input, which comes from the second-level cache, serves more
    rows. Several taps find most of it in the first-level cache, and wait for weights rather, of which fewer rows read
    fewer.
    """
    if microkernel.lanes == LINE:
        return replace(microkernel, rows=LINE, columns=LINE)
    if microkernel.lanes == AVX2.lanes and sizes.taps == 1:
        return replace(microkernel, rows=microkernel.rows * microkernel.vectors // 2, columns=2 * microkernel.lanes)
    return microkernel


def _filter_tile(sizes: Correlation, microkernel: Microkernel) -> Microkernel:
    """Of all registers; with AVX-512, of one vector in each row where there are many channels."""
    if max(sizes.channels, sizes.out_channels) < MANY_CHANNELS or microkernel.lanes != LINE:
        return microkernel
    return replace(microkernel, rows=microkernel.rows * microkernel.vectors, columns=LINE)


def _usual(sizes: Correlation, microkernel: Microkernel) -> Choice:
    """A minimal filter where it takes fewer products."""
    form = form_for(sizes, microkernel.careful)
    tile = _direct_tile(sizes, microkernel) if form is None else _filter_tile(sizes, microkernel)
    return Choice(form, tile.rows, tile.columns)


def choices(sizes: Correlation, microkernel: Microkernel) -> tuple[Choice, ...]:
    """Everything worth measuring: what follows from the sizes first, then tiles of as many registers, direct or not."""
    usual = _usual(sizes, microkernel)
    registers = microkernel.rows * microkernel.vectors
    tiles = [(registers // vectors, vectors * microkernel.lanes) for vectors in range(1, MOST_VECTORS + 1)]
    return tuple(dict.fromkeys([usual, *(Choice(form, *tile) for form in (usual.form, None) for tile in tiles)]))


def form_for(sizes: Correlation, careful: bool = False) -> MinimalFilter | None:
    """The filter that a convolution of this size is computed with, None where it is computed directly.

    One of as many taps comes first. A wider one may take fewer products, but its weights take longer to read, which
    counts where there is little text, and more is lost to rounding.
    """
    channels = sizes.channels, sizes.out_channels
    if sizes.stride != 1 or min(channels) < FEWEST_CHANNELS or max(channels) > MOST_CHANNELS:
        return None
    forms = _forms(max(channels), careful)
    fitting = [form for form in forms if form.taps == sizes.taps]
    best = min(fitting or forms, key=lambda form: _products(form, sizes.taps))
    return best if _products(best, sizes.taps) < sizes.taps else None


def _forms(channels: int, careful: bool) -> Sequence[MinimalFilter]:
    if careful:
        return (CAREFUL_FORM,)
    return FORMS if channels < HEAVY_CHANNELS else LIGHT_FORMS


def _products(form: MinimalFilter, kernel_size: int) -> float:
    """Products per output, channel and row; as many as there are taps without a filter."""
    pieces = ceil_div(kernel_size, form.taps)
    if pieces > 1 and form.taps % form.outputs:
        return kernel_size
    return pieces * form.samples / form.outputs


def plan_for(sizes: Correlation, microkernel: Microkernel) -> CorrelationPlan | Filtering:
    """How a convolution of these sizes is computed."""
    choice = choice_for(sizes, microkernel)
    tile = replace(microkernel, rows=choice.rows, columns=choice.columns)
    return CorrelationPlan(sizes, tile) if choice.form is None else Filtering(sizes, choice.form, tile)


def kernel(plan: CorrelationPlan | Filtering, ending: Ending) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs]."""
    return filtering_kernel(plan, ending) if isinstance(plan, Filtering) else correlation_kernel(plan, ending)


def weight(plan: CorrelationPlan | Filtering, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight."""
    if isinstance(plan, Filtering):
        return filtering_weight(plan, shape, value_at)
    return correlation_weight(plan, shape, value_at)
