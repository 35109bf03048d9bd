"""The named lists of passes that turn a stage's Relax function into an executable; every failure is an error.

It does not know any stage.
"""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax
from tvm.ir.transform import Pass, PassContext, module_pass
from tvm.tirx import PrimFunc

from engine.compiler import metal_passes
from engine.compiler.elementwise import schedule_elementwise
from engine.compiler.memory_plan import share_workspace
from engine.compiler.targets import METAL
from engine.errors import CompileError

_OPTIMIZATION_LEVEL = 3
_NO_ALIAS = "tirx.noalias"
_CODE_GENERATION = {"tirx.disable_assert": True}
"""Kernels check none of their arguments: the virtual machine has checked the stage's. Halves the libraries."""


def weight_passes() -> tuple[Pass, ...]:
    """Move what depends on weights alone into a function of its own, which runs once when weights are loaded."""
    return (relax.transform.LiftTransformParams(),)


def graph_passes() -> tuple[Pass, ...]:
    """Turn operators into loops and fuse neighbours; a reshape stays one, for the machine gives it the same memory.

    Loops have no schedule yet.
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
    """Those up to the kernels as they are compiled, still called by a graph that tells their sizes."""
    schedules = metal_passes.schedule_passes() if target.kind.name == METAL else (schedule_loops,)
    return (*weight_passes(), *graph_passes(), *schedules)


@module_pass(opt_level=0, name="ScheduleLoops")
def schedule_loops(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Schedule every function of loops that is no kernel of ours."""
    scheduled = {
        name: schedule_elementwise(function) if isinstance(function, PrimFunc) else function
        for name, function in module.functions.items()
    }
    return tvm.IRModule(scheduled, attrs=module.attrs)


def machine_passes(target: tvm.target.Target) -> tuple[Pass, ...]:
    """Lower the graph to instructions of the virtual machine, with its memory planned.

    A buffer of a GPU cannot be entered in its middle, so that there arrays of the same size share one.
    """
    planned = (
        (relax.transform.StaticPlanBlockMemory(), relax.transform.LowerAllocTensor())
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
        tell_arguments_apart,
        relax.transform.AttachGlobalSymbol(),
    )


@module_pass(opt_level=0, name="TellArgumentsApart")
def tell_arguments_apart(module: tvm.IRModule, _: PassContext) -> tvm.IRModule:
    """Mark every function as one whose arguments share no memory, those that TVM added for shapes too.

    One function without the mark can cost all others of a library theirs, and convolutions most of their speed.
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
    """The first line of an error's words; TVM adds pages of internals below it."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
