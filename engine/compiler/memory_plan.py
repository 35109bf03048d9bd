"""Places the arrays of a stage in one block of memory, in which arrays that are not needed at the same time overlap.

TVM itself shares memory only between arrays of the same size and takes each block from the system, which becomes more
and more fragmented as more is spoken. Here a stage gets its block from a function of
`engine.runtime.runners.workspace`, which keeps it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any

import tvm
from tvm import relax
from tvm.ir.transform import PassContext, module_pass
from tvm.script import tirx as T
from tvm.sym import Analyzer
from tvm.tirx import IntImm
from tvm.tirx.analysis import undefined_vars

from engine.compiler.artifacts.runtime_functions import WORKSPACE_FUNCTION
from engine.compiler.script_parsing import quick_parsing
from engine.system.aligned_arrays import ALIGNMENT_BYTES

STORAGE = tvm.ir.Op.get("relax.memory.alloc_storage")
TENSOR = tvm.ir.Op.get("relax.memory.alloc_tensor")
_DATA, _BYTE_OFFSET = 1, 8
"""TVM's indices of a tensor's fields."""


@module_pass(opt_level=0, name="ShareWorkspace")
def share_workspace(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Place the arrays of every function in a workspace; before, each has its own storage, which results keep."""
    builder = relax.BlockBuilder(module)
    begin = builder.add_func(begin_at_offset, begin_at_offset.__name__)
    for name, function in module.functions.items():
        if isinstance(function, relax.Function):
            builder.update_func(name, _with_workspace(function, begin))
    return builder.get()


@dataclass(frozen=True)
class LiveRange:
    """An array of `size` that is needed from step `first` to step `last`."""

    size: int
    first: int
    last: int

    def overlaps(self, other: LiveRange) -> bool:
        """True if both are needed at some step."""
        return self.first <= other.last and other.first <= self.last


def placements(live_ranges: Sequence[LiveRange]) -> list[int]:
    """The offset of each array, chosen so that arrays needed at the same step do not overlap.

    The largest is placed first, each as low as possible (Pisarchyk and Lee, "Efficient Memory Management for Deep
    Neural Net Inference", 2020).
    """
    starts: dict[int, int] = {}
    for index, live_range in sorted(enumerate(live_ranges), key=lambda entry: -entry[1].size):
        taken = [
            (start, start + live_ranges[other].size)
            for other, start in starts.items()
            if live_ranges[other].overlaps(live_range)
        ]
        starts[index] = _lowest_gap(sorted(taken), live_range.size)
    return [starts[index] for index in range(len(live_ranges))]


def _lowest_gap(taken: Iterable[tuple[int, int]], size: int) -> int:
    lowest = 0
    for start, end in taken:
        if lowest + size <= start:
            break
        lowest = max(lowest, end)
    return lowest


with quick_parsing():

    @T.prim_func(s_tir=True)
    def begin_at_offset(tensor: T.handle) -> None:
        """Turn a view's offset into an address: kernels take every tensor to begin at its address."""
        T.evaluate(
            T.tvm_struct_set(
                tensor,
                0,
                _DATA,
                T.handle_add_byte_offset(
                    T.tvm_struct_get(tensor, 0, _DATA, "handle"),
                    T.cast(T.tvm_struct_get(tensor, 0, _BYTE_OFFSET, "uint64"), "int64"),
                ),
            )
        )
        T.evaluate(T.tvm_struct_set(tensor, 0, _BYTE_OFFSET, T.uint64(0)))


@dataclass(frozen=True)
class _Array:
    """A placeable array, its variable and its storage; it has `live_range.size` bytes times its symbols."""

    tensor: relax.Var
    storage: relax.Var
    symbols: tuple[Any, ...]
    live_range: LiveRange


def _with_workspace(function: relax.Function, begin: tvm.ir.GlobalVar) -> relax.Function:
    bindings = [binding for block in function.body.blocks for binding in block.bindings]
    groups: defaultdict[tuple[Any, ...], list[_Array]] = defaultdict(list)
    for array in _arrays(bindings, function.body.body):
        groups[array.symbols].append(array)
    body: list[relax.VarBinding] = []
    views: dict[relax.Var, tuple[relax.Var, Any]] = {}
    for symbols, group in groups.items():
        unit, live_ranges = reduce(mul, symbols), [array.live_range for array in group]
        starts = placements(live_ranges)
        body.append(
            _memory(unit * max(start + live_range.size for start, live_range in zip(starts, live_ranges, strict=True)))
        )
        views |= {array.tensor: (body[-1].var, unit * start) for array, start in zip(group, starts, strict=True)}
    unused = {array.storage for group in groups.values() for array in group}
    for binding in bindings:
        if binding.var in views:
            body += _view(binding, *views[binding.var], begin)
        elif binding.var not in unused:
            body.append(binding)
    whole = relax.SeqExpr([relax.BindingBlock(body)], function.body.body)
    return relax.Function(function.params, whole, function.ret_ty, function.is_pure, function.attrs)


def _arrays(bindings: Sequence[Any], result: Any) -> Iterator[_Array]:
    """The arrays that are not part of the result and whose size is linear in each of its symbols.

    Other sizes cannot be compared before the symbols are known.
    """
    uses, sizes = last_uses(bindings, result), storage_sizes(bindings)
    for step, binding in enumerate(bindings):
        if calls(binding, TENSOR) and uses[binding.var] < len(bindings):
            storage = binding.value.args[0]
            symbols = tuple(sorted(undefined_vars(sizes[storage]), key=str))
            if symbols and _grows_evenly(sizes[storage], symbols):
                # For lengths from 1, no size exceeds the size at lengths of 1 times the product of the lengths.
                unit_bytes = _value(sizes[storage], dict.fromkeys(symbols, 1))
                size = -(-unit_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
                yield _Array(binding.var, storage, symbols, LiveRange(size, step, uses[binding.var]))


def storage_sizes(bindings: Sequence[Any]) -> dict[relax.Var, Any]:
    """The size [bytes] of every storage."""
    return {binding.var: binding.value.args[0].values[0] for binding in bindings if calls(binding, STORAGE)}


def last_uses(bindings: Sequence[Any], result: Any) -> dict[relax.Var, int]:
    """The step at which each variable is used last, by itself or through a variable that may be a view of it.

    Variables of the result are used after all steps.
    """
    uses = dict.fromkeys(relax.analysis.free_vars(result), len(bindings))
    for step, binding in reversed(list(enumerate(bindings))):
        last = uses.setdefault(binding.var, step)
        for used in relax.analysis.free_vars(binding.value):
            uses[used] = max(uses.get(used, step), step if _is_computed(binding) else last)
    return uses


def _is_computed(binding: Any) -> bool:
    """True if a binding's value shares no memory with its arguments: a tensor within a storage, or a kernel's call."""
    return calls(binding, TENSOR) or (
        isinstance(binding.value, relax.Call) and isinstance(binding.value.op, tvm.ir.GlobalVar)
    )


def calls(binding: Any, operator: tvm.ir.Op) -> bool:
    """True if a binding's value is a call of the operator."""
    return isinstance(binding.value, relax.Call) and binding.value.op == operator


def _grows_evenly(size: Any, symbols: Sequence[Any]) -> bool:
    """True if a size is linear in each of its symbols."""
    ones = dict.fromkeys(symbols, 1)
    values = ([_value(size, {**ones, symbol: length}) for length in (1, 2, 3)] for symbol in symbols)
    return all(two - one == three - two for one, two, three in values)


def _value(size: Any, lengths: Mapping[Any, int]) -> int:
    analyzer = Analyzer()
    for symbol, length in lengths.items():
        analyzer.bind(symbol, IntImm("int64", length))
    return int(analyzer.simplify(size))


def _memory(size: Any) -> relax.VarBinding:
    """The workspace, an array of `size` bytes."""
    memory = relax.TensorType([size], "uint8")
    return relax.VarBinding(
        relax.Var("workspace", memory),
        relax.Call(relax.ExternFunc(WORKSPACE_FUNCTION), [relax.ShapeExpr([size])], ty_args=[memory]),
    )


def _view(binding: Any, workspace: relax.Var, start: Any, begin: tvm.ir.GlobalVar) -> list[relax.VarBinding]:
    """The array of a binding as the part of the workspace whose first byte is `start`."""
    shape, dtype = binding.value.args[2:4]
    view = relax.op.memory.view(workspace, shape, dtype, relax.prim_value(start))
    begun = relax.Call(begin, [binding.var], ret_ty=relax.TupleType([]))
    return [relax.VarBinding(binding.var, view), relax.VarBinding(relax.Var("_", relax.TupleType([])), begun)]
