"""The kernel set of each target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tvm.target import Target

from engine.compiler.kernel_set import KernelSet
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu import adaptive_norm as cpu_adaptive_norm
from engine.compiler.kernels.cpu import attention as cpu_attention
from engine.compiler.kernels.cpu import conv1d, conv_transpose1d, layer_norm, linear
from engine.compiler.kernels.cpu import lstm as cpu_lstm
from engine.compiler.kernels.cpu import reflect_left as cpu_reflect_left
from engine.compiler.kernels.cpu.conv_choice import ConvAlgorithm
from engine.compiler.kernels.cpu.register_tile import microkernel_for
from engine.compiler.kernels.metal import adaptive_norm, attention, lstm, reflect_left
from engine.compiler.kernels.metal import conv1d as metal_conv1d
from engine.compiler.kernels.metal import conv_transpose1d as metal_conv_transpose1d
from engine.compiler.kernels.metal import layer_norm as metal_layer_norm
from engine.compiler.kernels.metal import linear as metal_linear
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.precision import Precision
from engine.compiler.metal_converters import METAL_CONVERTERS
from engine.compiler.targets import METAL
from engine.errors import CompileError


def kernels_for(
    target: Target,
    precision: Precision = Precision.FLOAT32,
    tuned: Sequence[tuple[ConvWorkload, ConvAlgorithm]] = (),
) -> KernelSet:
    """The kernels of this target; on a CPU, convolutions of `tuned` sizes are computed as chosen.

    On Metal their sizes alone decide.
    Raises `CompileError` for a precision that the target has no kernels for.
    """
    if target.kind.name == METAL:
        return metal_kernels(precision)
    if precision is not Precision.FLOAT32:
        raise CompileError(f"There are no kernels of precision {precision} but for Metal.")
    return cpu_kernels(target, tuned)


def cpu_kernels(target: Target, tuned: Sequence[tuple[ConvWorkload, ConvAlgorithm]] = ()) -> KernelSet:
    """Kernels for an LLVM target, with register tiles that suit its CPU."""
    return KernelSet(
        target_traits=replace(microkernel_for(target), tuned=tuple(tuned)),
        conv1d=conv1d,
        conv_transpose1d=conv_transpose1d,
        linear=linear,
        layer_norm=layer_norm,
        lstm=cpu_lstm,
        adaptive_norm=cpu_adaptive_norm,
        attention=cpu_attention,
        reflect_left=cpu_reflect_left,
    )


def metal_kernels(precision: Precision = Precision.FLOAT32) -> KernelSet:
    """Kernels for Apple's GPUs."""
    return KernelSet(
        target_traits=Threadgroup(factors=precision),
        conv1d=metal_conv1d,
        conv_transpose1d=metal_conv_transpose1d,
        linear=metal_linear,
        layer_norm=metal_layer_norm,
        lstm=lstm,
        adaptive_norm=adaptive_norm,
        attention=attention,
        reflect_left=reflect_left,
        converters=METAL_CONVERTERS,
    )
