"""Kernels some of whose operands may be missing: written once with all of them, then taken without.

It does not know any operator.
"""

from __future__ import annotations

from tvm.tirx import PrimFunc


def without_operands(function: PrimFunc, *names: str) -> PrimFunc:
    """The function without the buffers of these names, none of which its body uses."""
    kept = [parameter for parameter in function.params if parameter.name not in names]
    return PrimFunc(kept, function.body, function.ret_type, function.attrs)


def with_operands(function: PrimFunc, **given: bool) -> PrimFunc:
    """The function without those of the named buffers that are not given."""
    return without_operands(function, *(name for name, is_given in given.items() if not is_given))
