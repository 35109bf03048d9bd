"""What a benchmark measured, as plain data, and what follows from it: medians, ratios, rates.

Ratios are medians over pairs: each round runs every runner once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from engine.artifacts.manifest import CPU_DEVICE
from engine.benchmark.job import Job, Length
from engine.benchmark.peers import OURS, PEERS

Round = Mapping[str, Mapping[str, float]]
"""The seconds of every stage, by the name of the runner, then of the stage; a whole model has one part instead."""
SLOWER = 1.1
"""A stage is worth a look that takes more than this many times as long as the best peer's."""


@dataclass(frozen=True)
class LengthMeasurement:
    """All rounds at one length; `flop` is what each stage needs, 0 for a stage that multiplies nothing with weights."""

    length: Length
    rounds: tuple[Round, ...]
    flop: Mapping[str, float]

    @property
    def peers(self) -> tuple[str, ...]:
        """Names of the peers that ran, lossy ones included."""
        return tuple(name for name in self.rounds[0] if name != OURS)

    @property
    def lossy_peers(self) -> tuple[str, ...]:
        """Names of the peers that ran in less than float32."""
        return tuple(name for name in self.peers if PEERS[name].lossy)

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages, in order."""
        return tuple(self.rounds[0][OURS])

    def has(self, name: str, stage: str | None = None) -> bool:
        """Whether the runner `name` has this stage; all have a total."""
        return stage is None or stage in self.rounds[0][name]

    def seconds(self, name: str, stage: str | None = None) -> float:
        """The median time of a stage, or of all stages together, by the runner `name`."""
        return median(_seconds(one, name, stage) for one in self.rounds)

    def real_time_factor(self, name: str, stage: str | None = None) -> float:
        """Median seconds per second of audio."""
        return self.seconds(name, stage) / self.length.seconds

    def times_as_long(self, peer: str, stage: str | None = None) -> float:
        """How many times as long as ours the peer takes: the median over the rounds."""
        return median(_seconds(one, peer, stage) / _seconds(one, OURS, stage) for one in self.rounds)

    def best_peer(self, stage: str | None = None) -> str | None:
        """The float32 peer that takes the least time; None without one."""
        peers = [peer for peer in self.peers if peer not in self.lossy_peers and self.has(peer, stage)]
        return min(peers, key=lambda peer: self.times_as_long(peer, stage), default=None)

    def times_faster_than_best_peer(self, stage: str | None = None) -> float | None:
        """How many times as long as ours the best float32 peer takes; None without one."""
        best = self.best_peer(stage)
        return None if best is None else self.times_as_long(best, stage)

    def slower_stages(self) -> tuple[str, ...]:
        """Stages that take more than `SLOWER` times as long as the best peer's."""
        return tuple(
            stage
            for stage in self.stages
            if (faster := self.times_faster_than_best_peer(stage)) is not None and faster * SLOWER < 1
        )

    def flop_per_second(self, name: str, stage: str | None = None) -> float | None:
        """Operations that the mathematics needs per second; None for a stage that multiplies nothing with weights."""
        needed = sum(self.flop.values()) if stage is None else self.flop[stage]
        return needed / self.seconds(name, stage) if needed else None


def _seconds(one: Round, name: str, stage: str | None) -> float:
    return sum(one[name].values()) if stage is None else one[name][stage]


@dataclass(frozen=True)
class ProcessFigures:
    """One process: how long until it was ready, its very first run (some compile only then), its peak memory.

    `idle_share` is the share of one processor that it used while others ran and it should have rested.
    `preparation_seconds`, by seconds of audio, is what it took to prepare for that length: some compile for a length.
    """

    seconds_to_ready: float
    first_run_seconds: float
    peak_bytes: int
    idle_share: float
    preparation_seconds: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SpeechFigures:
    """Seconds to the first audio of requests as the application makes them.

    Medians for a short and a long text with the model loaded, and the time from the start of a process. Medians for
    sentences without a mark inside, by their number of words; the long text is the last of them.
    """

    short_seconds: float
    long_seconds: float
    cold_seconds: float
    seconds_by_words: Mapping[int, float]


@dataclass(frozen=True)
class CommandFigures:
    """`engine speak` with a text: how long its longest utterance is, how long the command took, its peak memory."""

    text: str
    utterance_seconds: float
    command_seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Measurement:
    """The whole benchmark; `compile_seconds` are those of our stages, `export_seconds` those of ONNX export.

    `modules` says in words which of ours were measured: those that speak.
    """

    job: Job
    lengths: Sequence[LengthMeasurement]
    processes: Mapping[str, ProcessFigures]
    peak_flop_per_second: float
    speech: SpeechFigures
    commands: Sequence[CommandFigures]
    compile_seconds: Mapping[str, float]
    export_seconds: float | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    modules: str = ""

    @property
    def our_peak(self) -> float | None:
        """The peak of what our modules ran on; None for a GPU, whose peak is not measured."""
        return self.peak_flop_per_second if self.job.device == CPU_DEVICE else None
