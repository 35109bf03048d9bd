"""Has a stage for a GPU compute in buffers that it is lent by `engine.runtime.runners.buffers`, which keeps them.

A GPU's buffer cannot be entered in its middle, so only arrays of the same size share one, as TVM plans it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tvm
from tvm import relax
from tvm.ir.transform import PassContext, module_pass

from engine.compiler.artifacts.runtime_functions import BUFFERS_FUNCTION
from engine.compiler.memory_plan import TENSOR, calls, last_uses, storage_sizes


@module_pass(opt_level=0, name="LendBuffers")
def lend_buffers(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Replace the storage of every array that is no part of a function's result by a buffer that is lent."""
    lent = {
        name: _with_buffers(function) if isinstance(function, relax.Function) else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(lent, attrs=module.attrs)


def _with_buffers(function: relax.Function) -> relax.Function:
    bindings = [binding for block in function.body.blocks for binding in block.bindings]
    sizes = _lent_sizes(bindings, function.body.body)
    if not sizes:
        return function
    begin, buffers = _borrowed(sizes)
    body: list[Any] = list(begin)
    for binding in bindings:
        if calls(binding, TENSOR) and binding.value.args[0] in buffers:
            storage, _, shape, dtype = binding.value.args[:4]
            body.append(relax.VarBinding(binding.var, relax.op.memory.view(buffers[storage], shape, dtype)))
        elif binding.var not in buffers:
            body.append(binding)
    whole = relax.SeqExpr([relax.BindingBlock(body)], function.body.body)
    return relax.Function(function.params, whole, function.ret_ty, function.is_pure, function.attrs)


def _lent_sizes(bindings: Sequence[Any], result: Any) -> dict[relax.Var, Any]:
    """The size [bytes] of every storage that holds no part of the result."""
    uses, sizes = last_uses(bindings, result), storage_sizes(bindings)
    kept = {
        binding.value.args[0] for binding in bindings if calls(binding, TENSOR) and uses[binding.var] == len(bindings)
    }
    return {storage: size for storage, size in sizes.items() if storage not in kept}


def _borrowed(sizes: dict[relax.Var, Any]) -> tuple[list[relax.VarBinding], dict[relax.Var, relax.Var]]:
    """The bindings that borrow a buffer for each storage, and these buffers."""
    types = [relax.TensorType([size], "uint8") for size in sizes.values()]
    call = relax.Call(
        relax.ExternFunc(BUFFERS_FUNCTION),
        [relax.ShapeExpr(list(sizes.values()))],
        ty_args=[relax.TupleType(types)],
    )
    together = relax.Var("buffers", relax.TupleType(types))
    buffers = {storage: relax.Var("buffer", kind) for storage, kind in zip(sizes, types, strict=True)}
    taken = [
        relax.VarBinding(buffer, relax.TupleGetItem(together, index)) for index, buffer in enumerate(buffers.values())
    ]
    return [relax.VarBinding(together, call), *taken], buffers
