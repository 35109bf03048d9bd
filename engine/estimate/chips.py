"""The Apple GPUs that estimates are made for, published records to compare with, and the assumptions of an estimate.

Every figure names its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

LANES_PER_CORE = 128
"""Float instructions that a core finishes per cycle (github.com/philipturner/metal-benchmarks)."""


@dataclass(frozen=True)
class Chip:
    """A GPU: cores, clock, memory bandwidth, and where the figures come from."""

    name: str
    cores: int
    clock_ghz: float
    bandwidth_gb_per_second: float
    source: str

    @property
    def flop_per_second(self) -> float:
        """The float32 peak: every lane a fused multiply-add per cycle."""
        return self.cores * self.cycles_per_second * LANES_PER_CORE * 2

    @property
    def bytes_per_second(self) -> float:
        """Memory bandwidth."""
        return self.bandwidth_gb_per_second * 1e9

    @property
    def cycles_per_second(self) -> float:
        """The clock."""
        return self.clock_ghz * 1e9


@dataclass(frozen=True)
class Record:
    """The fastest published Kokoro on a chip: milliseconds per second of audio, without the fixed cost of a call."""

    chip: str
    milliseconds_per_second: float


M1 = Chip("M1", 8, 1.278, 68.3, "github.com/philipturner/applegpuinfo/issues/11")
M2 = Chip("M2", 10, 1.398, 102.4, "github.com/philipturner/applegpuinfo/issues/6")
M2_ULTRA = Chip("M2 Ultra, 60 cores", 60, 1.398, 800.0, "Apple; clock: github.com/philipturner/applegpuinfo/issues/10")
"""The smaller of the two: which of them set the record is not published, and it is harder to beat on this one."""
M4_PRO = Chip("M4 Pro, 20 cores", 20, 1.47, 273.0, "Apple; clock: hmc-tech.com, the lowest published (others: to 1.8)")
CHIPS = (M1, M2, M2_ULTRA, M4_PRO)

RECORD_MODEL = "kokoro-82m"
RECORDS = (Record(M1.name, 70.7), Record(M2.name, 51.5), Record(M2_ULTRA.name, 13.7))
RECORDS_SOURCE = (
    "mattmireles/kokoro-coreml (Config F: CoreML on GPU, Neural Engine and CPU), slopes of warm runs in "
    "fixed-cost-latency-fit.md of github.com/framallo/kokoro-coreml, June 2026"
)


def record_of(model: str, chip: Chip) -> float | None:
    """The record of this model on this chip, in milliseconds per second of audio; None if none is published."""
    found = {record.chip: record.milliseconds_per_second for record in RECORDS if model == RECORD_MODEL}
    return found.get(chip.name)


class End(StrEnum):
    """The ends of an estimate: everything as fast as has been published, or as slow."""

    FAST = "fast"
    SLOW = "slow"


@dataclass(frozen=True)
class Assumption:
    """A number, what it means, and where it comes from."""

    value: float
    meaning: str
    source: str


@dataclass(frozen=True)
class AssumedRange:
    """What published measurements of a number range between, what it means, and where it comes from."""

    fast: float
    slow: float
    meaning: str
    source: str

    def at(self, end: End) -> float:
        """The number at one end of an estimate."""
        return self.fast if end is End.FAST else self.slow


_MICROARCHITECTURE = "github.com/philipturner/metal-benchmarks"

CONVOLUTION_SHARE = AssumedRange(
    0.5,
    0.26,
    "share of the float32 peak that convolutions reach, and all kernels but matrix products at most; of the operations "
    "executed, transforms included",
    "slow: 1.2 TFLOP/s on M1 Pro, 14 cores (github.com/sonos/tract/pull/2549); fast: 0.45 to 0.67 for 128 channels and "
    "kernels of 1 to 11, M1 Max, 24 cores (github.com/tinygrad/tinygrad/pull/1696), 0.4 on M5 "
    "(github.com/ggml-org/llama.cpp/pull/28069)",
)
PRODUCT_SHARE = AssumedRange(
    0.7,
    0.33,
    "share of the float32 peak that matrix products reach",
    "slow: M2, without simdgroup matrices, as ours are (github.com/FL33TW00D/wgpu-mm/issues/20, 0.33 to 0.72); fast: "
    "0.71 (MPS, M1, github.com/JuliaGPU/Metal.jl/pull/80), 0.75 (MLX, M2 Ultra, "
    "github.com/ml-explore/mlx/pull/424)",
)
MEMORY_SHARE = AssumedRange(
    0.92, 0.83, "share of the memory bandwidth that a GPU reaches", "STREAM on M1 to M4, arxiv.org/abs/2502.05317"
)
LAUNCH_MICROSECONDS = AssumedRange(
    2.05,
    6.0,
    "microseconds per dispatch",
    "fast: of the GPU, github.com/penta2himajin/qwisp/issues/143 (M1 Max, one encoder); slow: the GPU waits for TVM's "
    "own work at every dispatch (from github.com/apache/tvm/pull/18877, M4 Max)",
)
ISSUE_EFFICIENCY = Assumption(
    0.8,
    "share of instruction slots that do work, at both ends",
    "chosen: puts float32 matrix products at 0.53 of the peak without simdgroup matrices, 0.65 with",
)
MATRIX_CYCLES = Assumption(
    18.0,
    "cycles of a multiplication of 8 x 8 matrices, of which 16 multiply",
    "github.com/tinygrad/tinygrad/issues/781 (18 to 20)",
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
RANGES = (CONVOLUTION_SHARE, PRODUCT_SHARE, MEMORY_SHARE, LAUNCH_MICROSECONDS)
ASSUMPTIONS = (
    ISSUE_EFFICIENCY,
    MATRIX_CYCLES,
    CORE_BYTES,
    FIRST_LEVEL_BYTES,
    THREADGROUP_BYTES,
    BARRIER_CYCLES,
)

SLOW_CYCLES: Mapping[str, float] = MappingProxyType(
    {
        "convert": 4, "round": 4, "divide": 6, "sqrt": 8, "rsqrt": 8, "exp2": 4, "log2": 4, "exp": 5, "log": 5,
        "sin": 14, "cos": 14, "tanh": 16, "sigmoid": 12, "erf": 20, "pow": 9,
    }
)  # fmt: skip
"""Cycles of float instructions that take more than one, from metal-benchmarks; from tanh on, sums over their parts."""
NOT_MODELLED = (
    "arithmetic on indices, bank conflicts, reads that do not combine, registers that spill, threads too few to hide "
    "waiting: published kernels with such faults reached a twentieth of the peak "
    "(github.com/JuliaGPU/Metal.jl/issues/829)",
    "the last-level cache: what a kernel writes and the next reads counts as memory traffic",
    "copies between host and GPU, the alignment on the host, phonemes, and what each utterance costs the host",
)
