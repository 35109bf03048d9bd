"""Estimates the time of a stage's counted work on Apple's GPUs, by a roofline model with published figures.

None of the figures was measured here; every one names its source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from engine.benchmark.job import Length

LABEL = "estimated, not measured"
DECODER = "decoder"
LANES_PER_CORE = 128
"""Float instructions that a core completes per cycle (github.com/philipturner/metal-benchmarks)."""


class Family(StrEnum):
    """A family of similar kernels; a recurrence is the part of an LSTM without the products with its inputs."""

    CONVOLUTIONS = "convolutions"
    PRODUCTS = "matrix products"
    RECURRENCES = "recurrences"
    OTHERS = "all else"


class Resource(StrEnum):
    """The resource that limits a family of kernels."""

    ARITHMETIC = "arithmetic"
    ONE_CORE = "few threadgroups"
    MEMORY = "memory bandwidth"
    LAUNCH = "launch"


class Bound(StrEnum):
    """The ends of an estimate: the fastest and slowest published figures, or the chip's peak."""

    ROOFLINE = "roofline"
    FAST = "fast"
    SLOW = "slow"


@dataclass(frozen=True)
class FamilyWork:
    """The work of one family's dispatches in one run of a stage.

    `needed_flop` is the cost of products with weights if computed directly, `flop` the same with Winograd's algorithm
    where it is used; its transforms and elementwise operations are not counted. `bytes` is the size of all buffers,
    each counted once per dispatch that accesses it. `core_bytes` is the amount that a single core loads, step by step.
    """

    family: Family
    dispatches: int
    needed_flop: float
    flop: float
    bytes: float
    core_bytes: float = 0.0


@dataclass(frozen=True)
class StageWork:
    """The work of a stage, by family of kernels."""

    stage: str
    families: tuple[FamilyWork, ...]

    def total(self, value: Callable[[FamilyWork], float]) -> float:
        """Return the sum of one count over all families."""
        return sum(map(value, self.families))

    @property
    def dispatches(self) -> int:
        """The number of dispatches in one run."""
        return sum(family.dispatches for family in self.families)


@dataclass(frozen=True)
class Chip:
    """A GPU: cores, clock, memory bandwidth, and the source of these figures.

    `record` is the fastest published result of `RECORD_MODEL` on it: milliseconds per second of audio, without the
    fixed cost of a call.
    """

    name: str
    cores: int
    clock_ghz: float
    bandwidth_gb_per_second: float
    source: str
    record: float | None = None

    @property
    def flop_per_second(self) -> float:
        """The float32 peak: a fused multiply-add per lane and cycle."""
        return self.cores * self.clock_ghz * 1e9 * LANES_PER_CORE * 2


CHIPS = (
    Chip("M1", 8, 1.278, 68.3, "github.com/philipturner/applegpuinfo/issues/11", record=70.7),
    Chip("M2", 10, 1.398, 102.4, "github.com/philipturner/applegpuinfo/issues/6", record=51.5),
    # the smaller of two variants: it is not published which one set the record, and this one is harder to beat
    Chip(
        "M2 Ultra, 60 cores",
        60,
        1.398,
        800.0,
        "Apple; clock: github.com/philipturner/applegpuinfo/issues/10",
        record=13.7,
    ),
    Chip("M4 Pro, 20 cores", 20, 1.47, 273.0, "Apple; clock: hmc-tech.com, the lowest published (others: to 1.8)"),
)
RECORD_MODEL = "kokoro-82m"
RECORDS_SOURCE = (
    "mattmireles/kokoro-coreml (Config F: CoreML on GPU, Neural Engine and CPU), slopes of warm runs in "
    "fixed-cost-latency-fit.md of github.com/framallo/kokoro-coreml, June 2026"
)


@dataclass(frozen=True)
class Assumption:
    """The range of a number in published measurements, its meaning, its source, and its value in a roofline."""

    fast: float
    slow: float
    meaning: str
    source: str
    roofline: float = 1.0

    def at(self, end: Bound) -> float:
        """Return the number at one end of an estimate."""
        return {Bound.ROOFLINE: self.roofline, Bound.FAST: self.fast, Bound.SLOW: self.slow}[end]


CONVOLUTION_SHARE = Assumption(
    0.5,
    0.26,
    "share of the float32 peak that convolutions reach, and all kernels but matrix products at most",
    "slow: 1.2 TFLOP/s on M1 Pro, 14 cores (github.com/sonos/tract/pull/2549); fast: 0.45 to 0.67 for 128 channels and "
    "kernels of 1 to 11, M1 Max, 24 cores (github.com/tinygrad/tinygrad/pull/1696), 0.4 on M5 "
    "(github.com/ggml-org/llama.cpp/pull/28069)",
)
PRODUCT_SHARE = Assumption(
    0.7,
    0.33,
    "share of the float32 peak that matrix products reach",
    "slow: M2, without simdgroup matrices, as ours are (github.com/FL33TW00D/wgpu-mm/issues/20, 0.33 to 0.72); fast: "
    "0.71 (MPS, M1, github.com/JuliaGPU/Metal.jl/pull/80), 0.75 (MLX, M2 Ultra, "
    "github.com/ml-explore/mlx/pull/424)",
)
MEMORY_SHARE = Assumption(
    0.92, 0.83, "share of the memory bandwidth that a GPU reaches", "STREAM on M1 to M4, arxiv.org/abs/2502.05317"
)
LAUNCH_MICROSECONDS = Assumption(
    2.05,
    6.0,
    "microseconds per dispatch",
    "fast: of the GPU, github.com/penta2himajin/qwisp/issues/143 (M1 Max, one encoder); slow: the GPU waits for TVM’s "
    "own work at every dispatch (from github.com/apache/tvm/pull/18877, M4 Max)",
    roofline=0.0,
)
CORE_BYTES = Assumption(
    32.0,
    32.0,
    "bytes per cycle that a core gets from the caches that all cores share; in the roofline, 64 from its own",
    "github.com/philipturner/metal-benchmarks",
    roofline=64.0,
)
ASSUMPTIONS = (CONVOLUTION_SHARE, PRODUCT_SHARE, MEMORY_SHARE, LAUNCH_MICROSECONDS, CORE_BYTES)
NOT_MODELLED = (
    "arithmetic of Winograd’s transforms, of attention and of single elements, matrices that don’t fill their tiles, "
    "bank conflicts, uncoalesced reads, registers that spill, threads too few to hide waiting: published "
    "kernels with such faults reached a twentieth of the peak (github.com/JuliaGPU/Metal.jl/issues/829)",
    "the last-level cache: what a kernel writes and the next reads counts as memory traffic",
    "copies between host and GPU, the alignment on the host, phonemes, and what each utterance costs the host",
)


def resource_seconds(work: FamilyWork, chip: Chip, end: Bound) -> dict[Resource, float]:
    """Return the seconds for which a family of kernels keeps each resource busy."""
    share = (PRODUCT_SHARE if work.family is Family.PRODUCTS else CONVOLUTION_SHARE).at(end)
    return {
        Resource.ARITHMETIC: work.flop / (chip.flop_per_second * share),
        Resource.ONE_CORE: work.core_bytes / (CORE_BYTES.at(end) * chip.clock_ghz * 1e9),
        Resource.MEMORY: work.bytes / (chip.bandwidth_gb_per_second * 1e9 * MEMORY_SHARE.at(end)),
        Resource.LAUNCH: work.dispatches * LAUNCH_MICROSECONDS.at(end) * 1e-6,
    }


def family_seconds(work: FamilyWork, chip: Chip, end: Bound) -> float:
    """Return the time of a family: its launches plus the resource that is busy longest."""
    parts = resource_seconds(work, chip, end)
    return parts.pop(Resource.LAUNCH) + max(parts.values())


def stage_seconds(stage: StageWork, chip: Chip, end: Bound) -> float:
    """Return the time of one run of a stage."""
    return sum(family_seconds(work, chip, end) for work in stage.families)


def bound_by(stage: StageWork, chip: Chip) -> Resource:
    """Return the resource that accounts for most of a stage's time, at the slow end."""
    shares: defaultdict[Resource, float] = defaultdict(float)
    for work in stage.families:
        parts = resource_seconds(work, chip, Bound.SLOW)
        shares[max(parts, key=parts.__getitem__)] += family_seconds(work, chip, Bound.SLOW)
    return max(shares, key=shares.__getitem__)


@dataclass(frozen=True)
class Estimate:
    """The counted work of one utterance."""

    model: str
    length: Length
    stages: tuple[StageWork, ...]

    def total(self, value: Callable[[FamilyWork], float]) -> float:
        """Return the sum of one count over all stages."""
        return sum(stage.total(value) for stage in self.stages)

    def milliseconds_per_second(self, chip: Chip, end: Bound, stage: str | None = None) -> float:
        """Return the estimated milliseconds per second of audio, for one stage or all."""
        wanted = [one for one in self.stages if stage in (None, one.stage)]
        return sum(stage_seconds(one, chip, end) for one in wanted) * 1e3 / self.length.seconds

    def record(self, chip: Chip) -> float | None:
        """Return the record of this model on this chip in milliseconds per second of audio, or None."""
        return chip.record if self.model == RECORD_MODEL else None
