"""A schedule for what fusion leaves: elementwise operators, transposes, gathers, small reductions.

Intermediate values are computed where they are used, rows in parallel, and the last axis is left to LLVM's vectorizer.
A function that cannot be scheduled so stays as it is.
"""

from __future__ import annotations

from typing import Any

import tvm
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV, ScheduleError
from tvm.tirx import IntImm, IterVar, PrimFunc

SCHEDULED = "tirx.is_scheduled"
MIN_PARALLEL_AXES = 3
"""Arrays of fewer axes are masks, styles and biases: waking the other threads would cost more than they save."""
MIN_ROW = 16
"""A shorter row is not worth the divisions that compute its index: the axis before it becomes part of the row."""
_MAIN = "main"


def schedule_elementwise(function: PrimFunc) -> PrimFunc:
    """The function with its loops scheduled; the same object if it is scheduled already or cannot be."""
    if function.attrs is not None and SCHEDULED in function.attrs:
        return function
    try:
        schedule = Schedule(tvm.IRModule({_MAIN: function}))
        _inline_intermediates(schedule)
        for block in _blocks(schedule):
            _parallelize(schedule, block)
    except ScheduleError:
        return function
    return schedule.mod[_MAIN].with_attr(SCHEDULED, True)


def _blocks(schedule: Schedule) -> list[SBlockRV]:
    return list(schedule.get_child_blocks(schedule.get_sblock("root", func_name=_MAIN)))


def _inline_intermediates(schedule: Schedule) -> None:
    for block in _blocks(schedule):
        if schedule.get_consumers(block):
            _inline(schedule, block)


def _inline(schedule: Schedule, block: SBlockRV) -> None:
    """Inline a block into its consumers; one that cannot be inlined, such as a sum, stays a separate loop."""
    try:
        schedule.compute_inline(block)
    except ScheduleError:
        return


def _parallelize(schedule: Schedule, block: SBlockRV) -> None:
    loops = _spatial_loops(schedule, block)
    outer = loops[: _outer_count([schedule.get(loop).extent for loop in loops])]
    if len(loops) >= MIN_PARALLEL_AXES and outer:
        schedule.parallel(schedule.fuse(*outer))


def _outer_count(extents: list[Any]) -> int:
    """The number of axes that run in parallel: all but the last, or the last few when those are short and fixed."""
    inner = 1
    for axis in reversed(range(len(extents))):
        if not isinstance(extents[axis], IntImm):
            return axis
        inner *= int(extents[axis])
        if inner >= MIN_ROW:
            return axis
    return 0


def _spatial_loops(schedule: Schedule, block: SBlockRV) -> list[LoopRV]:
    """The leading loops whose iterations are independent."""
    loops = schedule.get_loops(block)
    kinds = [variable.iter_type for variable in schedule.get(block).iter_vars]
    if len(loops) != len(kinds):
        return []
    spatial = [kind == IterVar.DataPar for kind in kinds]
    return list(loops[: spatial.index(False)] if False in spatial else loops)
