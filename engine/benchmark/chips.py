"""The Apple GPUs that estimates are made for, with what is published about them, and the records to compare with.

It does not know kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    """The fastest published Kokoro on a chip: milliseconds per second of audio, without what each call costs."""

    chip: str
    milliseconds_per_second: float


M1 = Chip("M1", 8, 1.278, 68.3, "github.com/philipturner/applegpuinfo/issues/11")
M2 = Chip("M2", 10, 1.398, 102.4, "github.com/philipturner/applegpuinfo/issues/6")
M2_ULTRA_60 = Chip(
    "M2 Ultra, 60 cores", 60, 1.398, 800.0, "Apple; clock: github.com/philipturner/applegpuinfo/issues/10"
)
M2_ULTRA_76 = Chip(
    "M2 Ultra, 76 cores", 76, 1.398, 800.0, "Apple; clock: github.com/philipturner/applegpuinfo/issues/10"
)
M4_PRO = Chip("M4 Pro, 20 cores", 20, 1.47, 273.0, "Apple; clock: hmc-tech.com, the lowest published (others: to 1.8)")
CHIPS = (M1, M2, M2_ULTRA_60, M2_ULTRA_76, M4_PRO)

RECORD_MODEL = "kokoro-82m"
RECORDS = (
    Record(M1.name, 70.7),
    Record(M2.name, 51.5),
    Record(M2_ULTRA_60.name, 13.7),
    Record(M2_ULTRA_76.name, 13.7),
)
"""Which of the two M2 Ultra set the record is not published; the smaller is the harder to beat it on."""
RECORDS_SOURCE = (
    "mattmireles/kokoro-coreml (Config F: CoreML on GPU, Neural Engine and CPU), slopes of warm runs in "
    "fixed-cost-latency-fit.md of github.com/framallo/kokoro-coreml, June 2026"
)


def record_of(model: str, chip: Chip) -> float | None:
    """The record of this model on this chip, in milliseconds per second of audio; None where there is none."""
    found = {record.chip: record.milliseconds_per_second for record in RECORDS if model == RECORD_MODEL}
    return found.get(chip.name)
