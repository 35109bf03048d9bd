"""Passes for Apple's GPUs, in addition to those of every target: schedules, waits, int32 indices, checks of limits.

What an Apple GPU could not run is an error here, not on the user's Mac.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from math import prod
from typing import Any

import tvm
import tvm_ffi
from tvm import relax, tirx
from tvm.ir.transform import Pass, PassContext, module_pass
from tvm.s_tir import dlight
from tvm.tirx import FloatImm, For, IntImm, PrimFunc
from tvm.tirx.transform import ForceNarrowIndexToInt32

from engine.compiler.artifacts.runtime_functions import WAIT_FUNCTION
from engine.compiler.kernel_set import HAND_WRITTEN
from engine.compiler.targets import MAX_THREADGROUP_BYTES, METAL
from engine.errors import CompileError

MAX_LAUNCHES = 40
"""Kernels that a function launches between two waits; macOS ends command buffers that keep the GPU for long."""
MAX_THREADS = 1024
MAX_BUFFERS = 31
_HOST_FUNCTION = "tirx.is_host_func"
_BYTES = {"char": 1, "uchar": 1, "bool": 1, "short": 2, "ushort": 2, "half": 2, "int": 4, "uint": 4, "float": 4}
_LANES = {"": 1, "2": 2, "3": 4, "4": 4}
_SHARED = re.compile(r"^\s*threadgroup (?P<kind>[a-z]+)(?P<lanes>[234]?) \w+\[(?P<count>\d+)\];", re.MULTILINE)
_BUFFER = re.compile(r"\[\[ buffer\((\d+)\) \]\]")
_KERNEL = re.compile(r"^// Function: (\w+)$", re.MULTILINE)
_FUNCTION = re.compile(r"_kernel(_\d+)?$")
"""The suffix that TVM appends to the name of a function to name its kernels."""


def schedule_passes() -> tuple[Pass, ...]:
    """Bind the loops of functions that are not hand-written kernels to threads, one output per thread.

    TVM's other GPU schedules are left out: its Metal matrix rule crashes, its vector rule takes convolutions for sums.
    """
    return (dlight.ApplyDefaultSchedule(dlight.gpu.Fallback()), check_threads)


def last_passes() -> tuple[Pass, ...]:
    """Passes that come after the graph is lowered."""
    return (cut_command_buffers, narrow_indices, spell_constants)


@module_pass(opt_level=0, name="CutCommandBuffers")
def cut_command_buffers(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Make every function wait for the GPU before it has launched more than `MAX_LAUNCHES` kernels since it last did.

    TVM submits the launched kernels when it waits, all of them in one command buffer.
    """
    launches = {name.name_hint: _launches(kernel) for name, kernel in module.functions.items() if _is_kernel(kernel)}
    cut = {
        name: _with_waits(function, launches) if isinstance(function, relax.Function) else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(cut, attrs=module.attrs)


@module_pass(opt_level=0, name="SpellConstants")
def spell_constants(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Write float constants as bits where TVM's Metal code, which prints seven digits, would change them."""
    spelled = {
        name: function.with_body(tvm_ffi.structural_map(function.body, (FloatImm, _spelled)))
        if _is_kernel(function)
        else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(spelled, attrs=module.attrs)


@module_pass(opt_level=0, name="NarrowIndices")
def narrow_indices(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Make indices int32 in TVM's kernels, as they are in hand-written ones; host functions are unchanged."""
    narrowed = {
        name: _narrowed(function) if _is_kernel(function) and not _is_ours(function) else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(narrowed, attrs=module.attrs)


@module_pass(opt_level=0, name="CheckThreads")
def check_threads(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Return the module; raises `CompileError` for a kernel with more threads per threadgroup than Apple's GPUs run."""
    for name, function in module.functions.items():
        if _is_kernel(function):
            _check_threads(name.name_hint, function)
    return module


def check_limits(executable: relax.VMExecutable) -> None:
    """Raise `CompileError` for a kernel beyond Apple's limits on threadgroup memory, buffers or types."""
    for name, source in kernel_sources(executable.mod).items():
        shared = sum(_size(found) for found in _SHARED.finditer(source))
        buffers = len(_BUFFER.findall(source))
        if shared > MAX_THREADGROUP_BYTES:
            raise CompileError(f"Kernel {name} takes {shared} bytes of threadgroup memory of {MAX_THREADGROUP_BYTES}.")
        if buffers > MAX_BUFFERS:
            raise CompileError(f"Kernel {name} takes {buffers} buffers of {MAX_BUFFERS}.")
        if re.search(r"\bdouble\b", source):
            raise CompileError(f"Kernel {name} computes in double precision, which Apple’s GPUs don’t support.")


def kernel_sources(module: Any) -> dict[str, str]:
    """The Metal source of each kernel in a built module, by its name."""
    sources: dict[str, str] = {}
    for part in _metal_modules(module):
        pieces = _KERNEL.split(part.inspect_source())[1:]
        sources.update(zip(pieces[::2], pieces[1::2], strict=True))
    return sources


def running_kernels(executable: relax.VMExecutable) -> tuple[str, ...]:
    """The kernels that the function `main` of a built stage calls; the others are those that pack weights."""
    main = executable.as_text().split("@main:", 1)[1].split("\n@", 1)[0]
    called = set(main.split())
    return tuple(name for name in sorted(kernel_sources(executable.mod)) if _FUNCTION.sub("", name) in called)


def _metal_modules(module: Any) -> list[Any]:
    found = [module] if module.kind == METAL else []
    return found + [inner for imported in module.imports for inner in _metal_modules(imported)]


def _is_kernel(function: Any) -> bool:
    return isinstance(function, PrimFunc) and (function.attrs is None or _HOST_FUNCTION not in function.attrs)


def _with_waits(function: relax.Function, launches: Mapping[str, int]) -> relax.Function:
    body: list[Any] = []
    since_wait = 0
    for binding in (binding for block in function.body.blocks for binding in block.bindings):
        own = sum(launches.get(name, 0) for name in _called(binding.value))
        if since_wait + own > MAX_LAUNCHES:
            body.append(_wait())
            since_wait = 0
        body.append(binding)
        since_wait += own
    whole = relax.SeqExpr([relax.BindingBlock(body)], function.body.body)
    return relax.Function(function.params, whole, function.ret_ty, function.is_pure, function.attrs)


def _called(value: Any) -> list[str]:
    """The name of the function of loops that a value calls, itself or through the virtual machine, if it does."""
    parts = (value.op, *value.args) if isinstance(value, relax.Call) else ()
    return [part.name_hint for part in parts if isinstance(part, tvm.ir.GlobalVar)]


def _wait() -> relax.VarBinding:
    nothing = relax.TupleType([])
    call = relax.Call(relax.ExternFunc(WAIT_FUNCTION), [], ty_args=[nothing])
    return relax.VarBinding(relax.Var("_", nothing), call)


def _launches(function: PrimFunc) -> int:
    """The number of kernels that TVM makes of a function: one of each outermost loop over threads or threadgroups."""
    outer = _loops_over_threads(function.body)
    inner = {loop for each in outer for loop in _loops_over_threads(each.body)}
    return len(set(outer) - inner)


def _loops_over_threads(body: Any) -> list[For]:
    loops: list[For] = []
    tvm_ffi.structural_walk(body, (For, loops.append), order="post")
    return [loop for loop in loops if loop.thread_binding is not None]


def _spelled(constant: FloatImm) -> Any:
    value = float(constant.value)
    if str(constant.ty.dtype) != "float32" or not math.isfinite(value):
        return constant
    exact, printed = struct.pack("<f", value), struct.pack("<f", float(f"{value:e}"))
    (bits,) = struct.unpack("<i", exact)
    return constant if exact == printed else tirx.reinterpret("float32", tirx.const(bits, "int32"))


def _is_ours(function: PrimFunc) -> bool:
    return function.attrs is not None and HAND_WRITTEN in function.attrs


def _narrowed(function: PrimFunc) -> PrimFunc:
    (narrowed,) = ForceNarrowIndexToInt32()(tvm.IRModule({"kernel": function})).functions.values()
    return narrowed


def _check_threads(name: str, function: PrimFunc) -> None:
    loops: list[For] = []
    tvm_ffi.structural_walk(function.body, (For, loops.append), order="post")
    extents: dict[str, int] = {}
    for axis, extent in ((_thread_axis(loop), loop.extent) for loop in loops):
        if axis and not isinstance(extent, IntImm):
            raise CompileError(f"Kernel {name} has a variable number of threads.")
        if axis:
            extents[axis] = max(extents.get(axis, 1), int(extent))
    if not extents:
        raise CompileError(f"Kernel {name} runs on no threads: it has no schedule for a GPU.")
    if prod(extents.values()) > MAX_THREADS:
        raise CompileError(f"Kernel {name} takes {prod(extents.values())} threads of {MAX_THREADS}.")


def _thread_axis(loop: For) -> str:
    """The axis of a threadgroup that a loop is bound to; empty for any other loop."""
    axis = "" if loop.thread_binding is None else str(loop.thread_binding.thread_tag)
    return axis if axis.startswith("threadIdx") else ""


def _size(found: re.Match[str]) -> int:
    return _BYTES.get(found["kind"], 8) * _LANES[found["lanes"]] * int(found["count"])
