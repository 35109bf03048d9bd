"""What an estimate assumes beyond the counts and the chips, each with its source.

It does not know how the assumptions are combined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Assumption:
    """A number, what it means, and who measured it."""

    value: float
    meaning: str
    source: str


_MICROARCHITECTURE = "github.com/philipturner/metal-benchmarks"

ISSUE_EFFICIENCY = Assumption(
    0.8,
    "share of instruction slots that do work",
    "chosen: puts float32 matrix products at 0.53 of the peak without simdgroup matrices, 0.65 with. Published, with: "
    "0.75, small ones 0.48 (MLX, M2 Ultra, github.com/ml-explore/mlx/pull/424), 0.71 (MPS, M1, "
    "github.com/JuliaGPU/Metal.jl/pull/80); without: 0.33 to 0.72 (M2, github.com/FL33TW00D/wgpu-mm/issues/20)",
)
WORST_EFFICIENCY = Assumption(
    0.26,
    "share of the float32 peak in the pessimistic figure",
    "the worst published of a convolution on simdgroup matrices: 1.2 TFLOP/s on M1 Pro, 14 cores, "
    "github.com/sonos/tract/pull/2549",
)
MATRIX_CYCLES = Assumption(
    18.0,
    "cycles of a multiplication of 8 x 8 matrices, of which 16 multiply",
    "github.com/tinygrad/tinygrad/issues/781 (18 to 20)",
)
MEMORY_EFFICIENCY = Assumption(
    0.85,
    "share of the memory bandwidth that a GPU reaches",
    "STREAM on M1 to M4, arxiv.org/abs/2502.05317: 0.83 to 0.92",
)
CORE_BYTES = Assumption(
    32.0,
    "bytes per cycle that a core gets from the caches that all cores share",
    _MICROARCHITECTURE,
)
FIRST_LEVEL_BYTES = Assumption(
    64.0,
    "bytes per cycle that a core gets from its own cache; in the roofline",
    _MICROARCHITECTURE,
)
THREADGROUP_BYTES = Assumption(
    64.0,
    "bytes per cycle of a core's threadgroup memory; threads that ask for the same get it at once",
    "not published; taken as its data cache's",
)
BARRIER_CYCLES = Assumption(
    50.0, "cycles that a barrier of a threadgroup takes when it is alone on a core", "not published"
)
LAUNCH_MICROSECONDS = Assumption(
    2.05,
    "microseconds of the GPU per dispatch",
    "github.com/penta2himajin/qwisp/issues/143 (M1 Max, one encoder); TVM's own cost is at most 6, beside the GPU's "
    "work (from github.com/apache/tvm/pull/18877, M4 Max)",
)
ASSUMPTIONS = (
    ISSUE_EFFICIENCY,
    WORST_EFFICIENCY,
    MATRIX_CYCLES,
    MEMORY_EFFICIENCY,
    CORE_BYTES,
    FIRST_LEVEL_BYTES,
    THREADGROUP_BYTES,
    BARRIER_CYCLES,
    LAUNCH_MICROSECONDS,
)

SLOW_CYCLES: Mapping[str, float] = MappingProxyType(
    {
        "convert": 4, "round": 4, "divide": 6, "sqrt": 8, "rsqrt": 8, "exp2": 4, "log2": 4, "exp": 5, "log": 5,
        "sin": 14, "cos": 14, "tanh": 16, "sigmoid": 12, "erf": 20, "pow": 9,
    }
)  # fmt: skip
"""Cycles of float instructions that take more than one, from the same benchmarks; from tanh on, of their parts."""
NOT_MODELLED = (
    "arithmetic on indices, bank conflicts, reads that do not combine, registers that spill",
    "the last-level cache: what a kernel writes and the next reads counts as memory traffic",
    "copies between host and GPU, the alignment on the host, phonemes, and what each utterance costs the host",
)
