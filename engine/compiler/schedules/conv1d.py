"""Convolution over time: any kernel, dilation, stride, padding and channel counts, one group.

It is computed directly or by minimal filtering, as `filter_choice` says. It does not know the model: sizes come from
the caller, batch and length at run time.
"""

from __future__ import annotations

from dataclasses import replace

from tvm.tirx import PrimFunc

from engine.compiler.correlation import Correlation, Ending, weight_at
from engine.compiler.schedules.correlation_kernel import correlation_kernel
from engine.compiler.schedules.correlation_plan import CorrelationPlan
from engine.compiler.schedules.correlation_weight import correlation_weight
from engine.compiler.schedules.filter_choice import choice_for
from engine.compiler.schedules.filtering import filtering_kernel
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.filtering_weight import filtering_weight
from engine.ops.microkernel_tir import Microkernel


def conv1d(sizes: Correlation, ending: Ending, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [B, in, L], packed weight, bias [out] if any, residual as y if any -> y [B, out, outputs].

    outputs = (L + 2 padding - dilation (taps - 1) - 1) // stride + 1 is read from y's shape.
    """
    plan = _plan(sizes, microkernel)
    return filtering_kernel(plan, ending) if isinstance(plan, Filtering) else correlation_kernel(plan, ending)


def packed_shape(sizes: Correlation, microkernel: Microkernel) -> tuple[int, ...]:
    """Shape of the packed weight."""
    return _plan(sizes, microkernel).packed_shape


def packed_type(sizes: Correlation, microkernel: Microkernel) -> str:
    """Type of the packed weight."""
    return _plan(sizes, microkernel).factors


def pack_weight(sizes: Correlation, microkernel: Microkernel) -> PrimFunc:
    """The function that packs: w [out, in, taps] -> packed weight."""
    plan = _plan(sizes, microkernel)
    if isinstance(plan, Filtering):
        return filtering_weight(plan)
    return correlation_weight(plan, (sizes.out_channels, sizes.channels, sizes.taps), weight_at)


def _plan(sizes: Correlation, microkernel: Microkernel) -> CorrelationPlan | Filtering:
    choice = choice_for(sizes, microkernel)
    tile = replace(microkernel, rows=choice.rows, columns=choice.columns)
    return CorrelationPlan(sizes, tile) if choice.form is None else Filtering(sizes, choice.form, tile)
