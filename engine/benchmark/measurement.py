"""The results of a benchmark as plain data, and values derived from them: medians, ratios, rates.

Ratios are medians over pairs: each round runs every runner once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from engine.benchmark.job import BenchmarkJob, Length
from engine.benchmark.peers import OURS, PEERS
from engine.compiler.artifacts.manifest import CPU_DEVICE

Round = Mapping[str, Mapping[str, float]]
"""The seconds of every stage, by the names of the runner and the stage; a whole model has one part instead."""
SLOWER = 1.1
"""The ratio of a stage's time to the best peer's above which it is listed as slower."""


@dataclass(frozen=True)
class LengthMeasurement:
    """All rounds at one length; `flop` is the work of each stage, 0 for a stage without products with weights."""

    length: Length
    rounds: tuple[Round, ...]
    flop: Mapping[str, float]

    @property
    def peers(self) -> tuple[str, ...]:
        """The names of the peers that ran, including lossy ones."""
        return tuple(name for name in self.rounds[0] if name != OURS)

    @property
    def lossy_peers(self) -> tuple[str, ...]:
        """The names of the peers that ran in less than float32."""
        return tuple(name for name in self.peers if PEERS[name].lossy)

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages, in order."""
        return tuple(self.rounds[0][OURS])

    def has(self, name: str, stage: str | None = None) -> bool:
        """Return whether the runner `name` has this stage; all have a total."""
        return stage is None or stage in self.rounds[0][name]

    def seconds(self, name: str, stage: str | None = None) -> float:
        """Return the median time of a stage, or of all stages together, with the runner `name`."""
        return median(_seconds(one, name, stage) for one in self.rounds)

    def real_time_factor(self, name: str, stage: str | None = None) -> float:
        """Return the median seconds per second of audio."""
        return self.seconds(name, stage) / self.length.seconds

    def times_as_long(self, peer: str, stage: str | None = None) -> float:
        """Return the ratio of the peer's time to ours: the median over the rounds."""
        return median(_seconds(one, peer, stage) / _seconds(one, OURS, stage) for one in self.rounds)

    def best_peer(self, stage: str | None = None) -> str | None:
        """Return the fastest float32 peer, or None without one."""
        peers = [peer for peer in self.peers if peer not in self.lossy_peers and self.has(peer, stage)]
        return min(peers, key=lambda peer: self.times_as_long(peer, stage), default=None)

    def times_faster_than_best_peer(self, stage: str | None = None) -> float | None:
        """Return the ratio of the best float32 peer's time to ours, or None without a peer."""
        best = self.best_peer(stage)
        return None if best is None else self.times_as_long(best, stage)

    def slower_stages(self) -> tuple[str, ...]:
        """Return the stages that take more than `SLOWER` times as long as the best peer's."""
        return tuple(
            stage
            for stage in self.stages
            if (faster := self.times_faster_than_best_peer(stage)) is not None and faster * SLOWER < 1
        )

    def flop_per_second(self, name: str, stage: str | None = None) -> float | None:
        """Return the required operations per second; None for a stage without products with weights."""
        needed = sum(self.flop.values()) if stage is None else self.flop[stage]
        return needed / self.seconds(name, stage) if needed else None


def _seconds(one: Round, name: str, stage: str | None) -> float:
    return sum(one[name].values()) if stage is None else one[name][stage]


@dataclass(frozen=True)
class ProcessFigures:
    """The results of one process: seconds until it was ready, its first run (when some peers compile), its peak memory.

    `idle_share` is the share of one CPU core that it used while others ran and it should have been idle.
    `preparation_seconds`, by seconds of audio, is the time to prepare for that length: some compile for a length.
    """

    seconds_to_ready: float
    first_run_seconds: float
    peak_bytes: int
    idle_share: float
    preparation_seconds: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SpeechFigures:
    """The seconds to the first audio of requests like the application's.

    Medians for a short and a long text with the model loaded, and the time from the start of a process. Medians for
    sentences without inner punctuation, by their number of words; the long text is the last of them.
    """

    short_seconds: float
    long_seconds: float
    cold_seconds: float
    seconds_by_words: Mapping[int, float]


@dataclass(frozen=True)
class CommandFigures:
    """The results of `engine speak` with a text: length of its longest utterance, time of the command, peak memory."""

    text: str
    utterance_seconds: float
    command_seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Measurement:
    """The whole benchmark; `compile_seconds` are those of our stages, `export_seconds` those of the ONNX export.

    `modules` describes our measured modules, which are those that generate speech.
    """

    job: BenchmarkJob
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
        """The peak of our modules' device; None for a GPU, whose peak is not measured."""
        return self.peak_flop_per_second if self.job.device == CPU_DEVICE else None
