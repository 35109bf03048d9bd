"""Counts what a scheduled kernel executes, by walking its loops with its sizes bound to numbers.

Conditions and addresses are evaluated for every thread of one threadgroup, the one in the middle of the grid. A loop
that is not unrolled is evaluated in its middle iteration and counted once per iteration. Values held in registers
across an unrolled loop are loaded once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from tvm import tirx
from tvm.ir import Call, StringImm, TensorLoad
from tvm.s_tir import SBlockRealize
from tvm.tirx import ForKind, PrimFunc

from engine.errors import CompileError
from engine.estimate.kernel_grid import Grid, axis_of, dispatches, grid_of
from engine.estimate.thread_values import is_integer, value_of
from engine.estimate.work import Work, WorkTally

_COMPARISONS = (tirx.EQ, tirx.NE, tirx.LT, tirx.LE, tirx.GT, tirx.GE)
_SLOW_CALLS = ("sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid", "erf", "pow")
_ROUNDING_CALLS = ("floor", "ceil", "round", "nearbyint", "trunc")
_QUICK_CALLS = ("fabs", "tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down", "isnan")
_FREE_CALLS = ("reinterpret", "likely", "tvm_warp_activemask")
_LEAVES = (tirx.Var, tirx.IntImm, tirx.FloatImm, StringImm)
_OPERANDS = ("a", "b", "value", "condition", "true_value", "false_value", "body")
_POINTER_OF_MATRIX = 2
_DATA_OF_POINTER = 1


@dataclass(frozen=True)
class Counted:
    """One dispatch of a function: its grid, and the work of all its threadgroups."""

    groups: int
    threads: int
    work: Work


def count(name: str, function: PrimFunc, sizes: Mapping[Any, int]) -> list[Counted]:
    """Every dispatch that the function makes, in order; `sizes` binds its variables.

    Raises `CompileError` for a kernel that contains anything whose cost is not known.
    """
    return [_count_dispatch(name, nest, sizes) for nest in dispatches(function)]


def bytes_of(dtype: Any) -> int:
    """Bytes of one element."""
    bits = re.search(r"\d+", str(dtype))
    return int(bits.group()) // 8 if bits else 1


def _count_dispatch(name: str, nest: Any, sizes: Mapping[Any, int]) -> Counted:
    grid = grid_of(nest, sizes)
    if grid is None:
        raise CompileError(f"Kernel {name} cannot be counted: its number of threads is not known.")
    kernel = _Kernel(name, grid, sizes)
    kernel.visit(nest, np.ones(grid.threads))
    return Counted(grid.groups, grid.threads, kernel.tally.work(grid.groups))


class _Kernel:
    """The walk: the values of variables so far, and what registers hold in the current unrolled loop."""

    def __init__(self, name: str, grid: Grid, sizes: Mapping[Any, int]) -> None:
        self.tally = WorkTally()
        self._name = name
        self._grid = grid
        self._values: dict[Any, Any] = dict(sizes)
        self._held: dict[Any, set[bytes]] | None = None
        self._width = 1
        self._statements: dict[type, Callable[[Any, np.ndarray], None]] = {
            tirx.SeqStmt: self._sequence,
            tirx.For: self._loop,
            tirx.IfThenElse: lambda node, often: self._branch(node.condition, node.then_case, node.else_case, often),
            tirx.BufferStore: self._store,
            tirx.Evaluate: lambda node, often: self._expression(node.value, often),
            tirx.Bind: self._bind,
            SBlockRealize: self._block,
            tirx.AttrStmt: lambda node, often: self.visit(node.body, often),
            tirx.AllocBuffer: lambda node, often: None,
            tirx.DeclBuffer: lambda node, often: None,
        }

    def visit(self, statement: Any, repeats: np.ndarray) -> None:
        """Count a statement that each thread executes as often as its number in `repeats` says."""
        if not repeats.any():
            return
        if type(statement) not in self._statements:
            raise self._unknown(f"the cost of {type(statement).__name__}")
        self._statements[type(statement)](statement, repeats)

    def _extent(self, loop: Any) -> int:
        extent = value_of(loop.extent, self._values)
        if not isinstance(extent, (int, np.integer)):
            raise self._unknown(f"the extent of {loop.loop_var.name}")
        return int(extent)

    def _unknown(self, what: str) -> CompileError:
        return CompileError(f"Kernel {self._name} cannot be counted: {what} is not known.")

    def _sequence(self, sequence: Any, repeats: np.ndarray) -> None:
        for part in sequence.seq:
            self.visit(part, repeats)

    def _bind(self, bind: Any, repeats: np.ndarray) -> None:
        self._expression(bind.value, repeats)
        self._values[bind.var] = value_of(bind.value, self._values)

    def _block(self, realize: Any, repeats: np.ndarray) -> None:
        for variable, value in zip(realize.block.iter_vars, realize.iter_values, strict=True):
            self._expression(value, repeats)
            self._values[variable.var] = value_of(value, self._values)
        self._branch(realize.predicate, realize.block.body, None, repeats)

    def _loop(self, loop: Any, repeats: np.ndarray) -> None:
        if axis_of(loop):
            self._threads(loop, repeats)
        elif loop.kind in (ForKind.UNROLLED, ForKind.VECTORIZED):
            self._unrolled(loop, repeats)
        else:
            extent, least = value_of(loop.extent, self._values), value_of(loop.min, self._values)
            if extent is None:
                raise self._unknown(f"the extent of {loop.loop_var.name}")
            self._values[loop.loop_var] = least + np.maximum(extent - 1, 0) // 2
            self.visit(loop.body, repeats * np.maximum(extent, 0))

    def _threads(self, loop: Any, repeats: np.ndarray) -> None:
        positions = self._grid.positions(axis_of(loop))
        self._values[loop.loop_var] = positions
        self.visit(loop.body, repeats * (positions < self._extent(loop)))

    def _unrolled(self, loop: Any, repeats: np.ndarray) -> None:
        outermost, width = self._held is None, self._width
        self._held = {} if self._held is None else self._held
        extent = self._extent(loop)
        self._width = extent if loop.kind == ForKind.VECTORIZED else width
        for step in range(extent):
            self._values[loop.loop_var] = value_of(loop.min, self._values) + step
            self.visit(loop.body, repeats)
        self._width = width
        self._held = None if outermost else self._held

    def _branch(self, condition: Any, then: Any, other: Any, repeats: np.ndarray) -> None:
        """Both branches, each for its own threads; both for all when the condition depends on data."""
        self._expression(condition, repeats)
        value = value_of(condition, self._values)
        visit = self.visit if isinstance(then, tirx.Stmt) else self._expression
        visit(then, repeats if value is None else repeats * value)
        if other is not None:
            visit(other, repeats if value is None else repeats * np.logical_not(value))

    def _store(self, store: Any, repeats: np.ndarray) -> None:
        buffer = store.buffer
        for part in (store.value, *store.indices):
            self._expression(part, repeats)
        self._access(buffer, store.indices, repeats, "stored")
        if self._held is not None:
            self._held.pop(buffer, None)
        if buffer.ty.storage_scope == "local" and prod(value_of(e, self._values) for e in buffer.ty.shape) == 1:
            self._values[buffer] = value_of(store.value, self._values)

    def _expression(self, expression: Any, repeats: np.ndarray) -> None:
        if isinstance(expression, _LEAVES) or not repeats.any():
            return
        if isinstance(expression, TensorLoad):
            self._load(expression, repeats)
        elif isinstance(expression, Call):
            self._call(expression, repeats)
        elif isinstance(expression, (tirx.Add, tirx.Sub)) and not is_integer(expression):
            self._sum(expression, repeats)
        else:
            self._operation(expression, repeats)
            if isinstance(expression, tirx.Let):
                self._values[expression.var] = value_of(expression.value, self._values)
            for operand in _OPERANDS:
                if hasattr(expression, operand):
                    self._expression(getattr(expression, operand), repeats)

    def _sum(self, expression: Any, repeats: np.ndarray) -> None:
        """A sum; if one of its terms is a product, both are one fused instruction."""
        first, second = expression.a, expression.b
        parts: tuple[Any, ...] = (first, second)
        if isinstance(second, tirx.Mul):
            parts = (first, second.a, second.b)
        elif isinstance(first, tirx.Mul):
            parts = (first.a, first.b, second)
        self.tally.operation(repeats, flop=len(parts) - 1)
        for part in parts:
            self._expression(part, repeats)

    def _operation(self, expression: Any, repeats: np.ndarray) -> None:
        """What the node itself costs, without its operands; whole numbers cost nothing."""
        if isinstance(expression, tirx.Cast):
            if is_integer(expression) != is_integer(expression.value):
                self.tally.slow_operation("convert", repeats, flop=0)
        elif isinstance(expression, _COMPARISONS):
            if not is_integer(expression.a):
                self.tally.operation(repeats, flop=0)
        elif is_integer(expression):
            pass
        elif isinstance(expression, tirx.Div):
            self.tally.slow_operation("divide", repeats, flop=1)
        elif isinstance(expression, (tirx.Mul, tirx.Min, tirx.Max)):
            self.tally.operation(repeats, flop=1)
        elif isinstance(expression, tirx.Select):
            self.tally.operation(repeats, flop=0)

    def _call(self, call: Any, repeats: np.ndarray) -> None:
        name = call.op.name.split(".")[-1]
        if name == "if_then_else":
            condition, then, other = call.args
            self._branch(condition, then, other, repeats)
            return
        if "simdgroup" in name:
            self._matrix(name, call, repeats)
            return
        if name == "tvm_storage_sync":
            self.tally.barrier(repeats)
            self._held = None if self._held is None else {}
        elif name in _SLOW_CALLS:
            self.tally.slow_operation(name, repeats, flop=1)
        elif name in _ROUNDING_CALLS:
            self.tally.slow_operation("round", repeats, flop=0)
        elif name in _QUICK_CALLS:
            self.tally.operation(repeats, flop=0)
        elif name not in _FREE_CALLS and not is_integer(call):
            raise self._unknown(f"the cost of {call.op.name}")
        for argument in call.args:
            self._expression(argument, repeats)

    def _matrix(self, name: str, call: Any, repeats: np.ndarray) -> None:
        """Operations of simdgroups on 8 x 8 matrices."""
        if name == "simdgroup_multiply_accumulate":
            self.tally.matrix_multiplication(repeats)
        elif name == "make_filled_simdgroup_matrix":
            self.tally.matrix_fill(repeats)
        elif name in ("simdgroup_load", "simdgroup_store"):
            buffer = _buffer_of(call.args[_POINTER_OF_MATRIX])
            kind = "loaded" if name == "simdgroup_load" else "stored"
            self.tally.matrix_access(repeats, bytes_of(buffer.ty.dtype), kind, _is_shared(buffer))
        else:
            raise self._unknown(f"the cost of {call.op.name}")

    def _load(self, load: Any, repeats: np.ndarray) -> None:
        for index in load.indices:
            self._expression(index, repeats)
        offsets = self._offsets(load.source, load.indices, len(repeats))
        if self._held is not None and offsets is not None:
            held = self._held.setdefault(load.source, set())
            if offsets.tobytes() in held:
                return
            held.add(offsets.tobytes())
        self._access(load.source, load.indices, repeats, "loaded")

    def _access(self, buffer: Any, indices: Any, repeats: np.ndarray, kind: str) -> None:
        """Count a load or store; what is in registers is free."""
        if buffer.ty.storage_scope in ("", "global") or _is_shared(buffer):
            offsets = self._offsets(buffer, indices, len(repeats))
            self.tally.access(offsets, repeats, bytes_of(buffer.ty.dtype), kind, _is_shared(buffer), self._width)

    def _offsets(self, buffer: Any, indices: Any, threads: int) -> np.ndarray | None:
        """The offset of the element that each thread asks for; None when it is unknown."""
        offsets: Any = np.zeros(threads, np.int64)
        for index, extent in zip(indices, buffer.ty.shape, strict=True):
            value, size = value_of(index, self._values), value_of(extent, self._values)
            if value is None or size is None:
                return None
            offsets = offsets * size + value
        return np.asarray(offsets, np.int64)


def _is_shared(buffer: Any) -> bool:
    return str(buffer.ty.storage_scope).startswith("shared")


def _buffer_of(pointer: Any) -> Any:
    """The buffer that an access pointer, or the address of an element, points into."""
    if pointer.op.name.endswith("address_of"):
        return pointer.args[0].source
    return pointer.args[_DATA_OF_POINTER].args[0]
