"""How a convolution is computed, directly or by which filter: decided by sizes unless a measurement decided otherwise.

From that follow its kernel and how its weight is packed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tvm.tirx import PrimFunc

from engine.kernels.convolution import ConvWorkload, WeightAt
from engine.kernels.cpu.cache import LINE
from engine.kernels.cpu.direct_conv import direct_conv, pack_direct_weight
from engine.kernels.cpu.direct_plan import DirectPlan
from engine.kernels.cpu.register_tile import AVX2, Microkernel
from engine.kernels.cpu.winograd import Winograd
from engine.kernels.cpu.winograd_conv import winograd_conv
from engine.kernels.cpu.winograd_plan import WinogradPlan
from engine.kernels.cpu.winograd_tiles import pack_winograd_weight
from engine.kernels.epilogue import Epilogue
from engine.kernels.mathematics import ceil_div

WINOGRADS = (Winograd(3, 2), Winograd(6, 3), Winograd(3, 5), Winograd(4, 7), Winograd(6, 6))
"""Sums and taps that are computed together. More of them would need fewer products and lose more to rounding.

Two taps are those of transposed convolutions, which have many rows: more sums would have them read larger weights.
"""
LIGHT_WINOGRADS = (Winograd(3, 2), Winograd(4, 3), Winograd(2, 5), Winograd(4, 7), Winograd(6, 6))
"""Of layers with many channels: their transformed weights are megabytes, and smaller ones cost little time."""
HEAVY_CHANNELS = 256
"""With so many, a convolution of 3 taps takes 5 % longer by a light form, and its weights 3/4 of the memory."""
HIGH_PRECISION_WINOGRAD = Winograd(2, 3)
"""Its transforms add and halve: little is lost to rounding."""
MIN_CHANNELS = 16
"""Transforms are per channel, products per pair of channels: with few channels, transforms cost more than they save.

128 to 22 channels with 7 taps still take a quarter less time with a filter, 32 to 22 a fifth less.
"""
MAX_CHANNELS = 512
"""Transformed weights are larger. Layers of more channels are short here, and wait for their weights."""
MANY_CHANNELS = 512
"""Layers of so many are short here, text or frames: tiles of one vector in each row leave the least of them empty."""

MAX_VECTORS = 3
"""In a row of a register tile: more would leave no registers for the samples on every processor."""


@dataclass(frozen=True)
class Choice:
    """How a convolution is computed: its filter, None if directly, and its register tile."""

    winograd: Winograd | None
    rows: int
    columns: int


def choice_for(sizes: ConvWorkload, microkernel: Microkernel) -> Choice:
    """What was found best for these sizes, else what follows from them."""
    for tuned, choice in microkernel.tuned:
        if tuned == sizes.unplaced and isinstance(choice, Choice):
            return choice
    return _default(sizes, microkernel)


def _direct_tile(sizes: ConvWorkload, microkernel: Microkernel) -> Microkernel:
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


def _winograd_tile(sizes: ConvWorkload, microkernel: Microkernel) -> Microkernel:
    """Of all registers; with AVX-512, of one vector in each row where there are many channels."""
    if max(sizes.channels, sizes.out_channels) < MANY_CHANNELS or microkernel.lanes != LINE:
        return microkernel
    return replace(microkernel, rows=microkernel.rows * microkernel.vectors, columns=LINE)


def _default(sizes: ConvWorkload, microkernel: Microkernel) -> Choice:
    """A minimal filter where it takes fewer products."""
    winograd = winograd_for(sizes, microkernel.high_precision)
    tile = _direct_tile(sizes, microkernel) if winograd is None else _winograd_tile(sizes, microkernel)
    return Choice(winograd, tile.rows, tile.columns)


def choices(sizes: ConvWorkload, microkernel: Microkernel) -> tuple[Choice, ...]:
    """Everything worth measuring: what follows from the sizes first, then tiles of as many registers, direct or not."""
    default = _default(sizes, microkernel)
    registers = microkernel.rows * microkernel.vectors
    tiles = [(registers // vectors, vectors * microkernel.lanes) for vectors in range(1, MAX_VECTORS + 1)]
    return tuple(
        dict.fromkeys([default, *(Choice(winograd, *tile) for winograd in (default.winograd, None) for tile in tiles)])
    )


def winograd_for(sizes: ConvWorkload, high_precision: bool = False) -> Winograd | None:
    """The filter that a convolution of this size is computed with, None where it is computed directly.

    One of as many taps comes first. A wider one may take fewer products, but its weights take longer to read, which
    counts where there is little text, and more is lost to rounding.
    """
    channels = sizes.channels, sizes.out_channels
    if sizes.stride != 1 or min(channels) < MIN_CHANNELS or max(channels) > MAX_CHANNELS:
        return None
    candidates = _candidates(max(channels), high_precision)
    fitting = [winograd for winograd in candidates if winograd.taps == sizes.taps]
    best = min(fitting or candidates, key=lambda winograd: _products(winograd, sizes.taps))
    return best if _products(best, sizes.taps) < sizes.taps else None


def _candidates(channels: int, high_precision: bool) -> Sequence[Winograd]:
    if high_precision:
        return (HIGH_PRECISION_WINOGRAD,)
    return WINOGRADS if channels < HEAVY_CHANNELS else LIGHT_WINOGRADS


def _products(winograd: Winograd, kernel_size: int) -> float:
    """Products per output, channel and row; as many as there are taps without a filter."""
    pieces = ceil_div(kernel_size, winograd.taps)
    if pieces > 1 and winograd.taps % winograd.outputs:
        return kernel_size
    return pieces * winograd.samples / winograd.outputs


def plan_for(sizes: ConvWorkload, microkernel: Microkernel) -> DirectPlan | WinogradPlan:
    """How a convolution of these sizes is computed."""
    choice = choice_for(sizes, microkernel)
    tile = replace(microkernel, rows=choice.rows, columns=choice.columns)
    return DirectPlan(sizes, tile) if choice.winograd is None else WinogradPlan(sizes, choice.winograd, tile)


def conv_kernel(plan: DirectPlan | WinogradPlan, epilogue: Epilogue) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs]."""
    return winograd_conv(plan, epilogue) if isinstance(plan, WinogradPlan) else direct_conv(plan, epilogue)


def packing_kernel(plan: DirectPlan | WinogradPlan, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight."""
    if isinstance(plan, WinogradPlan):
        return pack_winograd_weight(plan, shape, value_at)
    return pack_direct_weight(plan, shape, value_at)
