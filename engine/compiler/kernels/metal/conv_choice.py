"""The choice of a convolution's algorithm on Apple's GPUs, a Winograd F(m, r) or direct, and its kernels."""

from __future__ import annotations

from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import ConvWorkload, WeightAt
from engine.compiler.kernels.metal.simdgroup_tile import SimdgroupTile
from engine.compiler.kernels.metal.thread_tile import ThreadTile
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.tiled_conv import Tile, pack_direct_weight
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.kernels.metal.winograd_weight import pack_winograd_weight
from engine.compiler.kernels.precision import Precision
from engine.compiler.kernels.winograd import Winograd

WINOGRADS = (Winograd(4, 2), Winograd(6, 3), Winograd(4, 5), Winograd(8, 7), Winograd(6, 11))
"""The F(m, r) in use, m outputs of r taps at once. Larger m would need fewer products and lose more to rounding."""
LIGHT_WINOGRADS = (Winograd(4, 2), Winograd(4, 3), Winograd(4, 5), Winograd(8, 7), Winograd(6, 11))
"""For layers with many channels: these are short, and sets of 6 outputs would leave much of their tiles empty."""
HEAVY_CHANNELS = 512
"""Channels from which the light ones are used."""
FEWEST_FLOAT16_CHANNELS = 64
"""Channels and rows below which factors keep single precision: harmonics and spectra need it, and are small."""


def tile_for(sizes: ConvWorkload, group: Threadgroup, factors: Precision = Precision.FLOAT32) -> Tile:
    """The tile that suits the sizes; its factors have the precision asked for only if it gains much."""
    if min(sizes.channels, sizes.row_count) < FEWEST_FLOAT16_CHANNELS:
        factors = Precision.FLOAT32
    tiles: list[WinogradTile | SimdgroupTile] = [*_winograd_tiles(sizes, factors), SimdgroupTile(sizes, factors)]
    for tile in tiles:
        if tile.suits:
            return tile
    return ThreadTile(sizes, group)


def packing_kernel(plan: Tile, group: Threadgroup, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight."""
    if isinstance(plan, WinogradTile):
        return pack_winograd_weight(plan, group, shape, value_at)
    return pack_direct_weight(plan, group, shape, value_at)


def _winograd_tiles(sizes: ConvWorkload, factors: Precision) -> list[WinogradTile]:
    """None for half precision: the transforms would lose too much of it."""
    if factors is Precision.FLOAT16:
        return []
    heavy = max(sizes.channels, sizes.out_channels) >= HEAVY_CHANNELS
    return [WinogradTile(sizes, winograd) for winograd in (LIGHT_WINOGRADS if heavy else WINOGRADS)]
