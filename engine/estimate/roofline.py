"""How long a kernel takes on a chip, from its counts: a roofline, and a band between published efficiencies.

Nothing here was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from engine.estimate.chips import (
    BARRIER_CYCLES,
    CONVOLUTION_SHARE,
    CORE_BYTES,
    FIRST_LEVEL_BYTES,
    ISSUE_EFFICIENCY,
    LANES_PER_CORE,
    LAUNCH_MICROSECONDS,
    MATRIX_CYCLES,
    MEMORY_SHARE,
    PRODUCT_SHARE,
    SLOW_CYCLES,
    THREADGROUP_BYTES,
    AssumedRange,
    Chip,
    End,
)
from engine.estimate.work import SIMD_WIDTH, KernelWork

_PRODUCTS = ("linear",)
"""Kernels of matrix products, by how their names begin."""


class Resource(Enum):
    """What a kernel waits for most."""

    INSTRUCTIONS = "instructions"
    CORE_LOADS = "loads into cores"
    THREADGROUP_MEMORY = "threadgroup memory"
    ONE_CORE = "few threadgroups"
    MEMORY = "memory bandwidth"
    LAUNCH = "launch"


@dataclass(frozen=True)
class KernelTime:
    """Seconds of one dispatch: at the peak of the chip, and at both ends of what has been published."""

    roofline_seconds: float
    fast_seconds: float
    slow_seconds: float
    bound_by: Resource


def kernel_time(kernel: KernelWork, chip: Chip) -> KernelTime:
    """The time of one dispatch; `bound_by` is what it waits for at the slow end."""
    fast, slow = (_parts(kernel, chip, end) for end in End)
    return KernelTime(
        roofline_seconds=roofline_seconds(kernel, chip),
        fast_seconds=_longest(fast) + fast[Resource.LAUNCH],
        slow_seconds=_longest(slow) + slow[Resource.LAUNCH],
        bound_by=max(slow, key=lambda resource: slow[resource]),
    )


def roofline_seconds(kernel: KernelWork, chip: Chip) -> float:
    """The larger of arithmetic at the peak and memory traffic at full bandwidth.

    Both are also taken of one threadgroup alone on a core.
    """
    work = kernel.work
    own_flop, own_bytes = work.flop / kernel.groups, work.device_bytes_moved / kernel.groups
    alone = max(own_flop / (2 * LANES_PER_CORE), own_bytes / FIRST_LEVEL_BYTES.value) / chip.cycles_per_second
    return max(work.flop / chip.flop_per_second, kernel.compulsory_bytes / chip.bytes_per_second, alone)


def instruction_slots(kernel: KernelWork) -> float:
    """Cycles of single lanes that the kernel's instructions take."""
    work = kernel.work
    slow = sum(SLOW_CYCLES[name] * count for name, count in work.slow_operations.items())
    matrices = work.matrix_multiplications * MATRIX_CYCLES.value * SIMD_WIDTH
    return work.operations + slow + matrices + work.memory_operations


def _parts(kernel: KernelWork, chip: Chip, end: End) -> dict[Resource, float]:
    """Seconds that each resource is busy; every core takes its share of the threadgroups, rounded up."""
    turns = -(-kernel.groups // chip.cores) / chip.cycles_per_second
    slots = instruction_slots(kernel) / kernel.groups / ISSUE_EFFICIENCY.value
    loads = kernel.work.device_bytes_moved / kernel.groups / CORE_BYTES.value
    shared = kernel.work.threadgroup_bytes_moved / kernel.groups / THREADGROUP_BYTES.value
    lanes = min(LANES_PER_CORE, -(-kernel.threads // SIMD_WIDTH) * SIMD_WIDTH)
    alone = max(slots / lanes, loads, shared) + kernel.work.barriers * BARRIER_CYCLES.value
    peak = chip.flop_per_second * _share_of_peak(kernel).at(end)
    return {
        Resource.INSTRUCTIONS: max(turns * slots / LANES_PER_CORE, kernel.work.flop / peak),
        Resource.CORE_LOADS: turns * loads,
        Resource.THREADGROUP_MEMORY: turns * shared,
        Resource.ONE_CORE: alone / chip.cycles_per_second,
        Resource.MEMORY: kernel.compulsory_bytes / (chip.bytes_per_second * MEMORY_SHARE.at(end)),
        Resource.LAUNCH: LAUNCH_MICROSECONDS.at(end) * 1e-6,
    }


def _share_of_peak(kernel: KernelWork) -> AssumedRange:
    return PRODUCT_SHARE if kernel.name.startswith(_PRODUCTS) else CONVOLUTION_SHARE


def _longest(parts: Mapping[Resource, float]) -> float:
    """The seconds of the resource that is busy longest while the kernel runs, which is after its launch."""
    return max(seconds for resource, seconds in parts.items() if resource is not Resource.LAUNCH)
