"""The CPU kernel of convolutions of stride 1 by Winograd, which takes 1.5 to 3 times fewer multiplications.

The kernel's taps are cut into pieces. While the input of a tile is packed, every set of neighboring samples is
transformed; then, for each point of the transform, a block of rows is summed over channels and pieces in registers, as
in `direct_conv`; the sums are transformed back when they are stored. The samples of a set are as far apart as the taps.
A piece is as long as a set of outputs or a multiple of it, so that the next piece reads the transformed samples of a
later set and all pieces share one transform. `conv_choice` decides when this is faster than `direct_conv`.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import clear, fma
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.cpu.winograd_tiles import pack, prefetch_rows, store
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.signatures import convolution_function


def winograd_conv(plan: WinogradPlan, epilogue: Epilogue) -> PrimFunc:
    """The kernel: x [B, channels, L], transformed weight, bias, residual if any -> y [B, out channels, outputs]."""
    return convolution_function(plan, epilogue, _convolve, T.int64)


@T.inline
def _accumulate(plan: Any, operands: Any, packed: Any, block: Any, point: Any, origin: Any, held: Any) -> None:
    """Sum the products at one point: (G g) * (B^T d) over channels and pieces."""
    clear(plan.tile, held)
    for channel in T.serial(plan.sizes.channels):
        for piece in T.unroll(plan.pieces):
            fma(
                plan.tile,
                held,
                lambda row: operands.weight[block, point, channel, piece, row],
                lambda column: packed[point, channel, origin + piece * plan.shift + column],
            )


@T.inline
def _sum_block(
    plan: Any, operands: Any, packed: Any, sums: Any, batch_index: Any, block: Any, part: Any, first: Any
) -> None:
    """Compute the sums of a block of rows at every point; its outputs start at position `first`."""
    # The inverse transform A^T is linear: applied once to the sums over channels, not to every product.
    for point in T.serial(plan.points):
        prefetch_rows(plan, operands, batch_index, block, point, first)
        # A separate function: in one with the transforms, LLVM keeps some of the sums in memory in some kernels.
        with T.attr("default", "compute_scope", "products"):
            held = T.decl_buffer(
                (plan.tile.rows, plan.tile.columns),
                "float32",
                data=sums.data,
                elem_offset=point * (plan.tile.rows * plan.tile.columns),
            )
            _accumulate(plan, operands, packed, block, point, part * plan.columns_each, held)


@T.inline
def _convolve(plan: Any, operands: Any) -> None:
    threads: T.int64 = T.Cast("int64", T.call_packed("runtime.NumThreads"))
    for thread in T.parallel(threads):
        outputs: T.int64 = T.ceildiv(operands.outputs + plan.sizes.trim, plan.sizes.upsampling)
        across: T.int64 = T.ceildiv(outputs, plan.outputs_each)
        tiles: T.int64 = T.ceildiv(across, plan.packed.parts)
        units: T.int64 = operands.batch * tiles * plan.blocks
        begin: T.int64 = thread * units // threads
        end: T.int64 = (thread + 1) * units // threads
        # The last channel stays unused: it only widens the distance from one point to the next.
        packed = T.alloc_buffer((plan.points, plan.sizes.channels + 1, plan.packed.pitch), "float32")
        sums = T.alloc_buffer((plan.points, plan.tile.rows, plan.tile.columns), "float32")
        for step in T.serial(T.ceildiv(end, plan.blocks) - begin // plan.blocks):
            tile: T.int64 = begin // plan.blocks + step
            batch_index: T.int64 = tile // tiles
            before: T.int64 = tile % tiles * plan.packed.parts
            parts: T.int64 = T.min(across - before, plan.packed.parts)
            columns: T.int64 = (parts - 1) * plan.columns_each + plan.tile.columns + plan.halo
            pack(plan, operands, packed, batch_index, before * plan.outputs_each - plan.sizes.padding, columns)
            from_block: T.int64 = T.max(begin - tile * plan.blocks, 0)
            to_block: T.int64 = T.min(end - tile * plan.blocks, plan.blocks)
            for block in T.serial(from_block, to_block):
                for part in T.serial(parts):
                    first: T.int64 = (before + part) * plan.outputs_each
                    _sum_block(plan, operands, packed, sums, batch_index, block, part, first)
                    store(plan, operands, sums, batch_index, block, first, outputs - first)
