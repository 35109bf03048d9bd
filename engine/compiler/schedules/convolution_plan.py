"""Which kernel computes a convolution, transposed or not, and how its weight is packed, as `filter_choice` says.

It does not know the loops of either kernel.
"""

from __future__ import annotations

from dataclasses import replace

from tvm.tirx import PrimFunc

from engine.compiler.correlation import Correlation, Ending, WeightAt
from engine.compiler.schedules.correlation_kernel import correlation_kernel
from engine.compiler.schedules.correlation_plan import CorrelationPlan
from engine.compiler.schedules.correlation_weight import correlation_weight
from engine.compiler.schedules.filter_choice import choice_for
from engine.compiler.schedules.filtering import filtering_kernel
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.filtering_weight import filtering_weight
from engine.ops.microkernel_tir import Microkernel


def plan_for(sizes: Correlation, microkernel: Microkernel) -> CorrelationPlan | Filtering:
    """How a convolution of these sizes is computed."""
    choice = choice_for(sizes, microkernel)
    tile = replace(microkernel, rows=choice.rows, columns=choice.columns)
    return CorrelationPlan(sizes, tile) if choice.form is None else Filtering(sizes, choice.form, tile)


def kernel(plan: CorrelationPlan | Filtering, ending: Ending) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs]."""
    return filtering_kernel(plan, ending) if isinstance(plan, Filtering) else correlation_kernel(plan, ending)


def weight(plan: CorrelationPlan | Filtering, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight."""
    if isinstance(plan, Filtering):
        return filtering_weight(plan, shape, value_at)
    return correlation_weight(plan, shape, value_at)
