"""The lists of passes that turn a stage's Relax function into an executable; every failure is a `CompileError`."""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax
from tvm.ir.transform import Pass, PassContext, module_pass
from tvm.tirx import PrimFunc

from engine.compiler import metal_passes
from engine.compiler.buffer_plan import lend_buffers
from engine.compiler.elementwise import schedule_elementwise
from engine.compiler.memory_plan import share_workspace
from engine.compiler.targets import METAL
from engine.errors import CompileError

_OPTIMIZATION_LEVEL = 3
_NO_ALIAS = "tirx.noalias"
_CODE_GENERATION = {"tirx.disable_assert": True}
"""Kernels do not check their arguments, since the virtual machine checks the stage's; this halves the libraries."""


def weight_passes() -> tuple[Pass, ...]:
    """Move what depends on weights alone into a separate function, which is called once when weights are loaded."""
    return (relax.transform.LiftTransformParams(),)


def graph_passes() -> tuple[Pass, ...]:
    """Turn operators into loops and fuse neighbors; the loops have no schedule yet.

    A reshape stays an operator, because the virtual machine then gives its result the same memory.
    """
    return (
        relax.transform.DeadCodeElimination(),
        relax.transform.LegalizeOps(skip_ops=["relax.reshape"]),
        relax.transform.AnnotateTIROpPattern(),
        relax.transform.FoldConstant(),
        relax.transform.FuseOps(),
        relax.transform.FuseTIR(),
        relax.transform.DeadCodeElimination(),
    )


def all_passes(target: tvm.target.Target) -> tuple[Pass, ...]:
    """Every pass for this target, in order."""
    last = metal_passes.last_passes() if target.kind.name == METAL else ()
    return (*kernel_passes(target), *machine_passes(target), *last)


def kernel_passes(target: tvm.target.Target) -> tuple[Pass, ...]:
    """The passes up to the final kernels, at which point the graph that calls them still shows their sizes."""
    schedules = metal_passes.schedule_passes() if target.kind.name == METAL else (schedule_loops,)
    return (*weight_passes(), *graph_passes(), *schedules)


@module_pass(opt_level=0, name="ScheduleLoops")
def schedule_loops(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Schedule every function of loops that is not a hand-written kernel."""
    scheduled = {
        name: schedule_elementwise(function) if isinstance(function, PrimFunc) else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(scheduled, attrs=module.attrs)


def machine_passes(target: tvm.target.Target) -> tuple[Pass, ...]:
    """Lower the graph to instructions of the virtual machine, with its memory planned.

    A GPU buffer cannot be addressed from its middle, so there only arrays of the same size share memory.
    """
    planned = (
        (relax.transform.StaticPlanBlockMemory(), relax.transform.LowerAllocTensor(), lend_buffers)
        if target.kind.name == METAL
        else (relax.transform.LowerAllocTensor(), share_workspace)
    )
    return (
        relax.transform.ToNonDataflow(),
        relax.transform.RemovePurityChecking(),
        relax.transform.CallTIRRewrite(),
        *planned,
        relax.transform.KillAfterLastUse(),
        relax.transform.LowerRuntimeBuiltin(),
        relax.transform.ComputePrimValue(),
        relax.transform.VMShapeLower(),
        separate_arguments,
        relax.transform.AttachGlobalSymbol(),
    )


@module_pass(opt_level=0, name="TellArgumentsApart")
def separate_arguments(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Mark every function, including those that TVM added for shapes, as one whose arguments share no memory.

    One function without the mark can make all others of a library lose theirs, and convolutions most of their speed.
    """
    marked = {
        name: function.with_attr(_NO_ALIAS, True) if isinstance(function, PrimFunc) else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(marked, attrs=module.attrs)


def apply(module: tvm.IRModule, passes: Sequence[Pass], target: tvm.target.Target) -> tvm.IRModule:
    """Run the passes in order; raises `CompileError` naming the one that fails."""
    with target, PassContext(opt_level=_OPTIMIZATION_LEVEL):
        for step in passes:
            try:
                module = step(module)
            except (RuntimeError, ValueError, TypeError, AttributeError, LookupError) as error:
                raise CompileError(f"Compiler pass {step.info.name} failed: {first_line(error)}") from error
    return module


def build_executable(module: tvm.IRModule, target: tvm.target.Target) -> relax.VMExecutable:
    """All passes, then machine code; raises `CompileError` naming what fails."""
    module = apply(module, all_passes(target), target)
    try:
        with PassContext(opt_level=_OPTIMIZATION_LEVEL, config=_CODE_GENERATION):
            executable = relax.build(module, target, relax_pipeline=None)
    except (RuntimeError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise CompileError(f"Code generation failed: {first_line(error)}") from error
    metal_passes.check_limits(executable)
    return executable


def first_line(error: BaseException) -> str:
    """The first line of an error's message; TVM adds pages of internals below it."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
