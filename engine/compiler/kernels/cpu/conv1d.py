"""Convolution over time on CPUs: any kernel size, dilation, stride, padding and channel counts, one group.

It is computed directly or by Winograd, as `conv_choice` decides. Batch and length are read at run time.
"""

from __future__ import annotations

from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import ConvWorkload, weight_at
from engine.compiler.kernels.cpu.conv_choice import conv_kernel, packing_kernel, plan_for
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.epilogue import Epilogue


def conv1d(sizes: ConvWorkload, epilogue: Epilogue, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any, residual as y if any -> y [B, out, outputs].

    outputs = (L + 2 padding - dilation (taps - 1) - 1) // stride + 1 is read from y's shape.
    """
    return conv_kernel(plan_for(sizes, microkernel), epilogue)


def packed_shape(sizes: ConvWorkload, microkernel: Microkernel) -> tuple[int, ...]:
    """Shape of the packed weight."""
    return plan_for(sizes, microkernel).packed_shape


def packed_dtype(sizes: ConvWorkload, microkernel: Microkernel) -> str:
    """Type of the packed weight."""
    return plan_for(sizes, microkernel).factors


def pack_weight(sizes: ConvWorkload, microkernel: Microkernel) -> PrimFunc:
    """The function that packs: w [out, in, taps] -> packed weight."""
    shape = sizes.out_channels, sizes.channels, sizes.taps
    return packing_kernel(plan_for(sizes, microkernel), shape, weight_at)
