"""The choice of a convolution's algorithm on a CPU, direct or a Winograd F(m, r), with its kernel and packed weight.

The sizes decide, unless a measurement on this machine found something better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import ConvWorkload, WeightAt
from engine.compiler.kernels.cpu.cache import LINE
from engine.compiler.kernels.cpu.direct_conv import direct_conv, pack_direct_weight
from engine.compiler.kernels.cpu.direct_plan import DirectPlan
from engine.compiler.kernels.cpu.register_tile import AVX2, Microkernel
from engine.compiler.kernels.cpu.winograd_conv import winograd_conv
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.cpu.winograd_tiles import pack_winograd_weight
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.mathematics import ceil_div
from engine.compiler.kernels.winograd import Winograd

WINOGRADS = (Winograd(3, 2), Winograd(6, 3), Winograd(3, 5), Winograd(8, 7), Winograd(6, 11))
"""The F(m, r) in use, m outputs of r taps at once. Larger m would need fewer products and lose more to rounding.

Two taps are those of transposed convolutions, which have many rows: a larger m would make them read larger weights.
"""
LIGHT_WINOGRADS = (Winograd(3, 2), Winograd(4, 3), Winograd(2, 5), Winograd(8, 7), Winograd(6, 11))
"""For layers with many channels: their transformed weights are megabytes, and a smaller m costs little time."""
HEAVY_CHANNELS = 256
"""Channels from which the light ones are used: 3 taps then take 5 % longer, and their weights 3/4 of the memory."""
MIN_CHANNELS = 16
"""Transforms are per channel, products per pair of channels: with few channels, transforms cost more than they save.

128 to 22 channels with 7 taps still take a quarter less time by Winograd, 32 to 22 a fifth less.
"""
MAX_CHANNELS = 512
"""Transformed weights are larger, and layers of more channels than this are short here and wait for their weights."""
MANY_CHANNELS = 512
"""Layers of this many channels are short here (text or frames): tiles one vector wide waste the fewest columns."""

MAX_VECTORS = 3
"""Vectors in a row of a register tile: with more, some CPUs would have no registers left for the samples."""


@dataclass(frozen=True)
class ConvAlgorithm:
    """The algorithm of a convolution, `winograd` or None for the direct one, and the size of its register tiles."""

    winograd: Winograd | None
    rows: int
    columns: int


def choice_for(sizes: ConvWorkload, microkernel: Microkernel) -> ConvAlgorithm:
    """The choice measured to be best for these sizes, otherwise the default."""
    for tuned, choice in microkernel.tuned:
        if tuned == sizes.unplaced and isinstance(choice, ConvAlgorithm):
            return choice
    return _default(sizes, microkernel)


def _direct_tile(sizes: ConvWorkload, microkernel: Microkernel) -> Microkernel:
    """The register tile of direct convolutions: one vector wide with AVX-512, two with AVX2 and a single tap.

    With AVX-512, each multiplication then reads its weight from memory; the weights of the tile's rows fill a cache
    line, and 16 rows divide most layers evenly. With AVX2 and one tap, packed input comes from the second-level cache
    and should serve more rows. Several taps find most of it in the first-level cache and wait for weights instead, of
    which fewer rows read fewer.
    """
    if microkernel.lanes == LINE:
        return replace(microkernel, rows=LINE, columns=LINE)
    if microkernel.lanes == AVX2.lanes and sizes.taps == 1:
        return _two_wide(microkernel)
    return microkernel


def _two_wide(microkernel: Microkernel) -> Microkernel:
    """A tile of as many registers, two vectors wide."""
    return replace(microkernel, rows=microkernel.rows * microkernel.vectors // 2, columns=2 * microkernel.lanes)


def _winograd_tile(sizes: ConvWorkload, microkernel: Microkernel) -> Microkernel:
    """The register tile of Winograd: all registers, one vector wide with AVX-512 and many channels.

    With AVX2, it is two wide if fewer columns are then left over from runs of `dilation`: with 5, 1 of 16, not 4 of 24.
    """
    if microkernel.lanes == LINE and max(sizes.channels, sizes.out_channels) >= MANY_CHANNELS:
        return replace(microkernel, rows=microkernel.rows * microkernel.vectors, columns=LINE)
    narrow = _two_wide(microkernel)
    wasted, wasted_if_narrow = (tile.columns % sizes.dilation / tile.columns for tile in (microkernel, narrow))
    return narrow if microkernel.lanes == AVX2.lanes and wasted > wasted_if_narrow else microkernel


def _default(sizes: ConvWorkload, microkernel: Microkernel) -> ConvAlgorithm:
    """Winograd where it takes fewer products."""
    winograd, tile = winograd_for(sizes), _winograd_tile(sizes, microkernel)
    if winograd is None or tile.columns < sizes.dilation:
        winograd, tile = None, _direct_tile(sizes, microkernel)
    return ConvAlgorithm(winograd, tile.rows, tile.columns)


def choices(sizes: ConvWorkload, microkernel: Microkernel) -> tuple[ConvAlgorithm, ...]:
    """Every choice worth measuring: the default first, then other tiles of as many registers, by Winograd or direct."""
    default = _default(sizes, microkernel)
    registers = microkernel.rows * microkernel.vectors
    tiles = [(registers // vectors, vectors * microkernel.lanes) for vectors in range(1, MAX_VECTORS + 1)]
    others = [ConvAlgorithm(winograd, *tile) for winograd in (default.winograd, None) for tile in tiles]
    fitting = [choice for choice in others if choice.winograd is None or choice.columns >= sizes.dilation]
    return tuple(dict.fromkeys([default, *fitting]))


def winograd_for(sizes: ConvWorkload) -> Winograd | None:
    """The F(m, r) that a convolution of this size is computed by, None if it is computed directly.

    One whose r is the number of taps is preferred. A larger one may take fewer products, but its weights take longer to
    read, which matters for short texts, and more is lost to rounding.
    """
    channels = sizes.channels, sizes.out_channels
    if sizes.stride != 1 or min(channels) < MIN_CHANNELS or max(channels) > MAX_CHANNELS:
        return None
    candidates = WINOGRADS if max(channels) < HEAVY_CHANNELS else LIGHT_WINOGRADS
    fitting = [winograd for winograd in candidates if winograd.taps == sizes.taps]
    best = min(fitting or candidates, key=lambda winograd: _products(winograd, sizes.taps))
    return best if _products(best, sizes.taps) < sizes.taps else None


def _products(winograd: Winograd, kernel_size: int) -> float:
    """Products per output, channel and row; a direct convolution takes as many as it has taps."""
    pieces = ceil_div(kernel_size, winograd.taps)
    # Pieces share a transform only if a piece shifts by whole sets of m outputs: otherwise F(m, r) cannot be used.
    if pieces > 1 and winograd.taps % winograd.outputs:
        return kernel_size
    return pieces * winograd.samples / winograd.outputs


def plan_for(sizes: ConvWorkload, microkernel: Microkernel) -> DirectPlan | WinogradPlan:
    """The plan of a convolution of these sizes."""
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
