"""The kernel of convolutions of stride 1 by minimal filtering: two to three times fewer multiplications.

The kernel's taps are cut into pieces. While the input of a tile is packed, every set of neighbouring samples is
transformed; then, for each point of the transform, a block of rows is summed over channels and pieces in registers, as
in `correlation`; the sums are transformed back when they are stored. A dilated convolution is as many undilated ones of
interleaved sequences. A piece is as long as a set of outputs, or a multiple: then a piece reads the transformed samples
of the next set, and all pieces share one transform.

It does not know when this is faster than `correlation`: `conv1d` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.schedules.convolution_function import convolution_function
from engine.compiler.schedules.minimal_filter import Matrix, MinimalFilter
from engine.ops.microkernel_tir import Microkernel, ceil_div

LINE = 16
"""Values in a line of the cache."""
MOST_PARTS = 8
"""Register tiles side by side in one packed tile, at most."""


@dataclass(frozen=True)
class Filtering:
    """A convolution of stride 1 and its tiles. A column is a set of `form.outputs` outputs, `dilation` apart."""

    channels: int
    out_channels: int
    kernel_size: int
    dilation: int
    padding: int
    form: MinimalFilter
    microkernel: Microkernel
    factor: float = 1.0
    """What the sum of the convolution and its residual is multiplied by."""

    @property
    def pieces(self) -> int:
        """Pieces of the kernel."""
        return ceil_div(self.kernel_size, self.form.taps)

    @property
    def shift(self) -> int:
        """Columns from one piece to the next."""
        return self.form.taps // self.form.outputs

    @property
    def halo(self) -> int:
        """Packed columns read beyond the last column of a tile."""
        return (self.pieces - 1) * self.shift

    @property
    def points(self) -> int:
        """Points of the transform."""
        return self.form.samples

    @property
    def blocks(self) -> int:
        """Blocks of rows."""
        return ceil_div(self.out_channels, self.microkernel.rows)

    @property
    def rows(self) -> int:
        """Rows in a block."""
        return ceil_div(self.out_channels, self.blocks)

    @property
    def columns(self) -> int:
        """Columns in a register tile."""
        return self.microkernel.columns

    @property
    def lanes(self) -> int:
        """Values in a vector."""
        return self.microkernel.lanes

    @property
    def vectors(self) -> int:
        """Vectors in a row of the register tile."""
        return self.columns // self.lanes

    @property
    def parts(self) -> int:
        """Register tiles in a packed tile."""
        packed_columns = self.microkernel.tile_bytes // (4 * self.channels * self.points)
        return max(1, min(MOST_PARTS, (packed_columns - self.halo) // self.columns))

    @property
    def width(self) -> int:
        """Columns of a packed tile that are computed."""
        return self.parts * self.columns

    @property
    def pitch(self) -> int:
        """Columns of a packed tile, halo included."""
        return self.microkernel.padded(self.width + self.halo)

    @property
    def reach(self) -> int:
        """Columns beyond its own that a set's samples belong to."""
        return (self.points - 1) // self.form.outputs

    @property
    def line(self) -> int:
        """Columns of samples gathered for a packed tile."""
        return self.pitch + self.microkernel.padded(self.reach)

    @property
    def span(self) -> int:
        """Outputs of the tiles of all interleaved sequences."""
        return self.width * self.form.outputs * self.dilation

    def joined(self, total: Any, residual: Any, place: tuple[Any, ...]) -> Any:
        """What is stored at a place of the output, given its sum."""
        return total if residual is None else T.float32(self.factor) * (total + residual[place])

    @property
    def packed_weight_shape(self) -> tuple[int, int, int, int, int]:
        """[block, point, channel, piece, row in block]."""
        return self.blocks, self.points, self.channels, self.pieces, self.rows


def _combination(coefficients: Sequence[Fraction], values: Sequence[Any]) -> Any:
    """The sum of the products, without those that are 0."""
    total = None
    for coefficient, value in zip(coefficients, values, strict=True):
        if coefficient:
            product = value if coefficient == 1 else T.float32(float(coefficient)) * value
            total = product if total is None else total + product
    return total


def _transform(plan: Filtering, streams: Any, packed: Any, channel: Any, first: Any) -> None:
    """One vector of columns from `first` on, at every point."""
    outputs = plan.form.outputs
    for point, coefficients in enumerate(plan.form.input_matrix):
        with T.vectorized(0, plan.lanes) as lane:
            samples = [
                streams[sample % outputs, first + sample // outputs + lane] for sample in range(len(coefficients))
            ]
            T.buffer_store(packed, _combination(coefficients, samples), [point, channel, first + lane])


def _transform_back(plan: Filtering, sums: Any, begin: Any, apart: Any, row: Any, first: Any) -> None:
    """One vector of columns from `first` on: output i goes to row i of `apart`."""
    for output, coefficients in enumerate(plan.form.output_matrix):
        with T.vectorized(0, plan.lanes) as lane:
            products = [sums[point, row, first + lane] for point in range(plan.points)]
            T.buffer_store(apart, begin + _combination(coefficients, products), [output * plan.lanes + lane])


def _split(plan: Filtering, line: Any, streams: Any, first: Any) -> None:
    """Columns from `first` on: sample i of each goes to stream i."""
    count = plan.form.outputs
    for stream in range(count):
        wide = line[T.Ramp(first * count, 1, plan.lanes * count)]
        chosen = T.Shuffle([wide], [lane * count + stream for lane in range(plan.lanes)])
        T.buffer_store(streams, chosen, [stream, T.Ramp(first, 1, plan.lanes)])


def _interleave(plan: Filtering, apart: Any, line: Any, first: Any) -> None:
    """The reverse of `_split`, of one vector of columns."""
    count = plan.form.outputs
    wide = apart[T.Ramp(0, 1, plan.lanes * count)]
    order = [output * plan.lanes + lane for lane in range(plan.lanes) for output in range(count)]
    T.buffer_store(line, T.Shuffle([wide], order), [T.Ramp(first * count, 1, plan.lanes * count)])


def _prefetch(buffer: Any, indices: Sequence[Any]) -> None:
    """Ask for a line of memory that is written soon; any address will do, even one beyond the buffer."""
    place = T.address_of(buffer[tuple(indices)])
    T.evaluate(T.call_llvm_intrin("void", "llvm.prefetch", place, T.int32(1), T.int32(3), T.int32(1)))


def _gather_vector(plan: Filtering, source: Any, line: Any, member: Any, channel: Any, first: Any, sample: Any) -> None:
    """A vector of samples `dilation` apart, from a wide vector of neighbours: LLVM's own gathers are slower."""
    wide = source[member, channel, T.Ramp(first, 1, plan.lanes * plan.dilation)]
    chosen = T.Shuffle([wide], [lane * plan.dilation for lane in range(plan.lanes)])
    T.buffer_store(line, chosen, [T.Ramp(sample, 1, plan.lanes)])


@T.inline
def _gather(
    plan: Any, source: Any, line: Any, member: Any, channel: Any, start: Any, low: Any, high: Any, length: Any
) -> None:
    """Samples `low` to `high`, all of them inside the input."""
    whole: T.int64 = 0
    if plan.dilation > 1:
        whole = T.max(T.min(high - low, (length - start) // plan.dilation - low), 0) // plan.lanes
        for vector in T.serial(whole):
            sample: T.int64 = low + vector * plan.lanes
            _gather_vector(plan, source, line, member, channel, start + sample * plan.dilation, sample)
    for sample in T.serial(low + whole * plan.lanes, high):
        line[sample] = source[member, channel, start + sample * plan.dilation]


@T.inline
def _pack(plan: Any, source: Any, packed: Any, member: Any, start: Any, columns: Any, length: Any) -> None:
    """`columns` columns of every channel, the first of which begins at position `start`, zeros beyond the input."""
    line = T.alloc_buffer((plan.line * plan.form.outputs,), "float32")
    streams = T.alloc_buffer((plan.form.outputs, plan.line), "float32")
    vectors: T.int64 = T.ceildiv(columns, plan.lanes)
    gathered: T.int64 = T.ceildiv(columns + plan.reach, plan.lanes)
    need: T.int64 = gathered * plan.lanes * plan.form.outputs
    low: T.int64 = T.max(T.min(T.ceildiv(-start, plan.dilation), need), 0)
    high: T.int64 = T.max(T.min(T.ceildiv(length - start, plan.dilation), need), low)
    for channel in T.serial(plan.channels):
        for ahead in T.serial(T.ceildiv((high - low) * plan.dilation, LINE)):
            _prefetch(source, [member, channel + 1, start + low * plan.dilation + ahead * LINE])
        for sample in T.serial(low):
            line[sample] = T.float32(0)
        _gather(plan, source, line, member, channel, start, low, high, length)
        for sample in T.serial(high, need):
            line[sample] = T.float32(0)
        for vector in T.serial(gathered):
            _split(plan, line, streams, vector * plan.lanes)
        for vector in T.serial(vectors):
            _transform(plan, streams, packed, channel, vector * plan.lanes)


@T.inline
def _prefetch_rows(plan: Any, target: Any, member: Any, block: Any, point: Any, first: Any) -> None:
    """A share of the rows that are stored after the last point."""
    for turn in T.serial(T.ceildiv(plan.rows - point, plan.points)):
        for line in T.serial(T.ceildiv(plan.columns * plan.form.outputs * plan.dilation, LINE)):
            _prefetch(target, [member, block * plan.rows + point + turn * plan.points, first + line * LINE])


@T.inline
def _begin(plan: Any, held: Any) -> None:
    for row in T.unroll(plan.rows):
        for vector in T.unroll(plan.vectors):
            for lane in T.vectorized(plan.lanes):
                held[row, vector * plan.lanes + lane] = T.float32(0)


@T.inline
def _accumulate(plan: Any, packed: Any, weight: Any, block: Any, point: Any, origin: Any, held: Any) -> None:
    for channel in T.serial(plan.channels):
        for piece in T.unroll(plan.pieces):
            for row in T.unroll(plan.rows):
                for vector in T.unroll(plan.vectors):
                    for lane in T.vectorized(plan.lanes):
                        held[row, vector * plan.lanes + lane] += (
                            weight[block, point, channel, piece, row]
                            * packed[point, channel, origin + piece * plan.shift + vector * plan.lanes + lane]
                        )


@T.inline
def _keep(plan: Any, held: Any, sums: Any, point: Any) -> None:
    for row in T.unroll(plan.rows):
        for vector in T.unroll(plan.vectors):
            for lane in T.vectorized(plan.lanes):
                sums[point, row, vector * plan.lanes + lane] = held[row, vector * plan.lanes + lane]


@T.inline
def _scatter(plan: Any, line: Any, residual: Any, target: Any, member: Any, row: Any, first: Any, count: Any) -> None:
    """Outputs to their places; a vector at a time as scalars where these are apart: LLVM's own scatters are slower."""
    whole: T.int64 = 0
    if plan.dilation > 1:
        whole = count // plan.lanes
        for vector in T.serial(whole):
            for lane in T.unroll(plan.lanes):
                target[member, row, first + (vector * plan.lanes + lane) * plan.dilation] = plan.joined(
                    line[vector * plan.lanes + lane],
                    residual,
                    (member, row, first + (vector * plan.lanes + lane) * plan.dilation),
                )
    for output in T.serial(whole * plan.lanes, count):
        target[member, row, first + output * plan.dilation] = plan.joined(
            line[output], residual, (member, row, first + output * plan.dilation)
        )


@T.inline
def _store(
    plan: Any,
    sums: Any,
    bias: Any,
    residual: Any,
    target: Any,
    member: Any,
    block: Any,
    first: Any,
    count: Any,
) -> None:
    """`count` outputs of every row, the first of them at position `first`."""
    apart = T.alloc_buffer((plan.form.outputs * plan.lanes,), "float32")
    line = T.alloc_buffer((plan.form.outputs * plan.columns,), "float32")
    for row in T.serial(T.min(plan.rows, plan.out_channels - block * plan.rows)):
        begin: T.float32 = T.float32(0)
        if bias is not None:
            begin = bias[block * plan.rows + row]
        for vector in T.serial(plan.vectors):
            _transform_back(plan, sums, begin, apart, row, vector * plan.lanes)
            _interleave(plan, apart, line, vector * plan.lanes)
        _scatter(plan, line, residual, target, member, block * plan.rows + row, first, count)


@T.inline
def _filter(
    plan: Any,
    source: Any,
    weight: Any,
    bias: Any,
    residual: Any,
    target: Any,
    batch: Any,
    length: Any,
    outputs: Any,
) -> None:
    threads: T.int64 = T.Cast("int64", T.call_packed("runtime.NumThreads"))
    for thread in T.parallel(threads):
        tiles: T.int64 = T.ceildiv(outputs, plan.span) * plan.dilation
        units: T.int64 = batch * tiles * plan.blocks
        begin: T.int64 = thread * units // threads
        end: T.int64 = (thread + 1) * units // threads
        packed = T.alloc_buffer((plan.points, plan.channels + 1, plan.pitch), "float32")
        sums = T.alloc_buffer((plan.points, plan.rows, plan.columns), "float32")
        for step in T.serial(T.ceildiv(end, plan.blocks) - begin // plan.blocks):
            tile: T.int64 = begin // plan.blocks + step
            member: T.int64 = tile // tiles
            start: T.int64 = tile % tiles // plan.dilation * plan.span + tile % plan.dilation
            count: T.int64 = T.max(T.ceildiv(outputs - start, plan.dilation), 0)
            parts: T.int64 = T.min(T.ceildiv(count, plan.columns * plan.form.outputs), plan.parts)
            _pack(plan, source, packed, member, start - plan.padding, parts * plan.columns + plan.halo, length)
            from_block: T.int64 = T.max(begin - tile * plan.blocks, 0)
            to_block: T.int64 = T.min(end - tile * plan.blocks, plan.blocks)
            for block in T.serial(from_block, to_block):
                for part in T.serial(parts):
                    passed: T.int64 = part * plan.columns * plan.form.outputs
                    for point in T.serial(plan.points):
                        held = T.alloc_buffer((plan.rows, plan.columns), "float32")
                        _prefetch_rows(plan, target, member, block, point, start + passed * plan.dilation)
                        _begin(plan, held)
                        _accumulate(plan, packed, weight, block, point, part * plan.columns, held)
                        _keep(plan, held, sums, point)
                    _store(
                        plan,
                        sums,
                        bias,
                        residual,
                        target,
                        member,
                        block,
                        start + passed * plan.dilation,
                        T.min(count - passed, plan.columns * plan.form.outputs),
                    )


def filtering_kernel(plan: Filtering, has_bias: bool, has_residual: bool = False) -> PrimFunc:
    """The kernel: x [B, channels, L], transformed weight, bias, residual if any -> y [B, out channels, outputs]."""
    return convolution_function(plan, _filter, has_bias, has_residual)


def _transformed_weight(rows: Matrix, taps: Sequence[Any]) -> list[Any]:
    """A piece of the kernel at every point, in float64."""
    weights = []
    for row in rows:
        total: Any = T.float64(0)
        for coefficient, tap in zip(row, taps, strict=True):
            total = total + T.float64(float(coefficient)) * tap
        weights.append(total)
    return weights


def _transform_weight(plan: Filtering, weight: Any, packed: Any, block: Any, channel: Any, row: Any) -> None:
    """All pieces of one filter."""
    place = T.min(block * plan.rows + row, plan.out_channels - 1)
    for piece in range(plan.pieces):
        first = piece * plan.form.taps
        taps = [
            T.Cast("float64", weight[place, channel, first + tap]) if first + tap < plan.kernel_size else T.float64(0)
            for tap in range(plan.form.taps)
        ]
        for point, value in enumerate(_transformed_weight(plan.form.weight_matrix, taps)):
            T.buffer_store(packed, T.Cast("float32", value), [block, point, channel, piece, row])


def filtering_weight(plan: Filtering) -> PrimFunc:
    """The function that transforms: w [out, in, kernel size] -> transformed weight; rows beyond the last repeat it."""

    @T.prim_func(s_tir=True)
    def filtering_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (plan.out_channels, plan.channels, plan.kernel_size), "float32")
        packed = T.match_buffer(p, plan.packed_weight_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, row in T.grid(plan.channels, plan.rows):
                _transform_weight(plan, weight, packed, block, channel, row)

    return filtering_weight
