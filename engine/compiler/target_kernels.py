"""Which kernels a target gets.

It does not know what the kernels compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tvm.target import Target

from engine.compiler.correlation import Correlation
from engine.compiler.kernel_set import KernelSet
from engine.compiler.metal_converters import METAL_CONVERTERS
from engine.compiler.metal_schedules import conv1d as metal_conv1d
from engine.compiler.metal_schedules import conv_transpose1d as metal_conv_transpose1d
from engine.compiler.metal_schedules import layer_norm as metal_layer_norm
from engine.compiler.metal_schedules import linear as metal_linear
from engine.compiler.schedules import conv1d, conv_transpose1d, layer_norm, linear
from engine.compiler.schedules.filter_choice import Choice
from engine.compiler.targets import METAL
from engine.errors import CompileError
from engine.ops import (
    adaptive_norm_metal_tir,
    adaptive_norm_tir,
    attention_metal_tir,
    attention_tir,
    packed_lstm_metal_tir,
    packed_lstm_tir,
    reflect_left_metal_tir,
    reflect_left_tir,
)
from engine.ops.microkernel_tir import microkernel_for
from engine.ops.precision import Precision
from engine.ops.threadgroup_tir import Threadgroup


def kernels_for(
    target: Target,
    precision: Precision = Precision.FLOAT32,
    tuned: Sequence[tuple[Correlation, Choice]] = (),
    careful: bool = False,
) -> KernelSet:
    """The kernels of this target; on a processor, convolutions of `tuned` sizes are computed as chosen.

    There, `careful` kernels lose less to rounding and are never tuned; on Metal all convolutions are direct anyway.

    Raises `CompileError` where it has none of this precision.
    """
    if target.kind.name == METAL:
        return metal_kernels(precision)
    if precision is not Precision.FLOAT32:
        raise CompileError(f"There are no kernels of precision {precision} but for Metal.")
    return cpu_kernels(target, tuned, careful)


def cpu_kernels(target: Target, tuned: Sequence[tuple[Correlation, Choice]] = (), careful: bool = False) -> KernelSet:
    """Kernels for an LLVM target, in register tiles that suit its processor."""
    microkernel = replace(microkernel_for(target), careful=careful, tuned=() if careful else tuple(tuned))
    return KernelSet(
        hardware=microkernel,
        conv1d=conv1d,
        conv_transpose1d=conv_transpose1d,
        linear=linear,
        layer_norm=layer_norm,
        packed_lstm=packed_lstm_tir,
        adaptive_norm=adaptive_norm_tir,
        attention=attention_tir,
        reflect_left=reflect_left_tir,
        rows_type=microkernel.totals,
    )


def metal_kernels(precision: Precision = Precision.FLOAT32) -> KernelSet:
    """Kernels for Apple's GPUs."""
    return KernelSet(
        hardware=Threadgroup(factors=precision),
        conv1d=metal_conv1d,
        conv_transpose1d=metal_conv_transpose1d,
        linear=metal_linear,
        layer_norm=metal_layer_norm,
        packed_lstm=packed_lstm_metal_tir,
        adaptive_norm=adaptive_norm_metal_tir,
        attention=attention_metal_tir,
        reflect_left=reflect_left_metal_tir,
        converters=METAL_CONVERTERS,
    )
