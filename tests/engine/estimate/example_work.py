"""Kernels with made-up counts."""

from __future__ import annotations

from typing import Any

from engine.estimate.lengths import Length
from engine.estimate.utterance_estimate import Estimate, timed
from engine.estimate.work import KernelWork, StageWork, Work
from engine.stages import DEVICE_STAGES

NOTHING = Work(
    flop=0.0,
    operations=0.0,
    slow_operations={},
    matrix_multiplications=0.0,
    memory_operations=0.0,
    device_bytes_loaded=0.0,
    device_bytes_stored=0.0,
    device_bytes_moved=0.0,
    threadgroup_bytes_moved=0.0,
    barriers=0.0,
)


def kernel(
    name: str = "kernel",
    groups: int = 1000,
    compulsory_bytes: float = 0.0,
    useful_flop: float | None = None,
    **counts: Any,
) -> KernelWork:
    """A kernel of threadgroups of 256 threads with these counts and no others."""
    work = Work(**{**vars(NOTHING), **counts})
    return KernelWork(name, (1, 2), groups, 256, work, compulsory_bytes, useful_flop)


def estimate(model: str = "kokoro-82m") -> Estimate:
    """An estimate of two seconds, with two kernels in the decoder and one in every other stage."""
    convolution = kernel("conv1d", flop=1e11, operations=5e10, useful_flop=1e11)
    copy = kernel("copy", compulsory_bytes=1e9)
    stages = [
        StageWork(stage.name, (convolution, copy) if stage.name == "decoder" else (copy,), 1e11)
        for stage in DEVICE_STAGES
    ]
    return timed(model, Length(80, 27, 2.0), stages)
