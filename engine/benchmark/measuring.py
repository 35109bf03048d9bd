"""Runs a benchmark: every runner in a separate process, in turns, on the same arrays."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from types import MappingProxyType

from engine.benchmark.job import BenchmarkJob, Length
from engine.benchmark.measurement import CommandFigures, LengthMeasurement, Measurement, Round, SpeechFigures
from engine.benchmark.peers import OURS, PEERS, PeerSelection
from engine.benchmark.preparing import ARRAYS, COUNT, EXPORT, WEIGHTS
from engine.benchmark.processes import TimedProcess, WorkerProcess
from engine.benchmark.worker import MEASURE, PEAK, PREPARING, SPEAK, SPEAKING
from engine.compiler.artifacts.manifest import CPU_DEVICE, Manifest
from engine.errors import EngineError
from engine.models.checkpoints import open_checkpoint
from engine.runtime.preparation.devices import choose_device
from engine.runtime.preparation.files import ensure_files
from engine.runtime.preparation.modules import find_modules
from engine.speech import PreparationEvent
from engine.system.child_process import python_command
from engine.system.paths import project_folder, sample_text_path
from engine.text.g2p.split import max_phonemes

OnProgress = Callable[[str], None]
"""A callback that receives a line of progress for each step."""
DEFAULT_SECONDS = (2.0, 10.0, 30.0)
"""The default lengths of audio."""
PLOT_SECONDS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
"""The default lengths of audio for a plot."""
STEADY_SECONDS = 10.0
"""The length from which a run takes so long that other activity of the machine matters little."""
MAX_TIMES_THE_ROUNDS = 5
"""The number of rounds for the shortest audio, as a multiple of those for steady lengths."""


def measure(
    job: BenchmarkJob, lengths: Sequence[Length], selection: PeerSelection, rounds: int, on_progress: OnProgress
) -> Measurement:
    """Measure our modules and the chosen peers at these lengths, and our requests.

    `on_progress` receives a line per step. Raises `EngineError` if a process fails.
    """
    modules = _prepared_modules(job, on_progress)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name, ExitStack() as processes:
        folder = Path(name)
        job.save(folder)
        prepared = _prepare(job, folder, lengths, selection, on_progress)
        peak = processes.enter_context(WorkerProcess(PEAK, folder, job.threads))
        peak.answer()
        runners = []
        for runner in (OURS, *selection.names):
            on_progress(f"Starting {runner}")
            runners.append(processes.enter_context(closing(TimedProcess(runner, folder, job.threads))))
        warm_up(runners, lengths[0], job.warm_up_seconds, on_progress)
        turns = RoundRobin(runners, peak, rounds, on_progress)
        measured = tuple(
            LengthMeasurement(length, turns.at(length), flop)
            for length, flop in zip(lengths, prepared.flop, strict=True)
        )
        figures = {runner.name: runner.figures() for runner in runners}
        processes.close()
        on_progress("Timing requests")
        speech = measure_speech(job, folder)
        on_progress("Measuring the memory of “speak”")
        commands = measure_commands(job, folder)
    return Measurement(
        job=job,
        lengths=measured,
        processes=figures,
        peak_flop_per_second=turns.peak_flop_per_second,
        speech=speech,
        commands=commands,
        compile_seconds={artifact.stage: artifact.seconds for artifact in Manifest.load(modules).artifacts},
        export_seconds=prepared.export_seconds,
        left_out=selection.left_out,
        modules=_format_modules(job, modules),
    )


def _prepared_modules(job: BenchmarkJob, on_progress: OnProgress) -> Path:
    """Build the modules and pack their weights before timing starts; return the folder of the device's modules.

    The shared input arrays are computed on the CPU, regardless of the device.
    """

    def observe(event: PreparationEvent) -> None:
        on_progress(event.title)

    checkpoint = open_checkpoint(job.model, job.weights)
    if job.device != CPU_DEVICE:
        ensure_files(checkpoint, CPU_DEVICE, observe)
    return ensure_files(checkpoint, job.device, observe, lstm_method=job.lstm_method).modules


def _format_modules(job: BenchmarkJob, modules: Path) -> str:
    """Describe the modules and their LSTM method."""
    method = Manifest.load(modules).identity.lstm_method
    variant = replace(choose_device(job.device, job.config).variant, lstm_method=method)
    return f"{find_modules(job.config, variant).why}; LSTMs by {method}"


@dataclass(frozen=True)
class _Prepared:
    flop: list[dict[str, float]]
    export_seconds: float | None = None


def _prepare(
    job: BenchmarkJob, folder: Path, lengths: Sequence[Length], selection: PeerSelection, on_progress: OnProgress
) -> _Prepared:
    with WorkerProcess(PREPARING, folder, job.threads) as preparing:
        preparing.answer()
        if selection.names:
            on_progress("Writing the shared weights")
            preparing.ask(WEIGHTS)
        on_progress("Counting the operations of the stages")
        wanted = [{"frames": length.frames, "tokens": length.tokens} for length in lengths]
        flop = preparing.ask(COUNT, lengths=wanted)["flop"]
        on_progress("Preparing the input arrays")
        preparing.ask(ARRAYS, lengths=[asdict(length) for length in lengths])
        if not any(PEERS[name].exported for name in selection.names):
            return _Prepared(flop)
        on_progress("Exporting the stages to ONNX")
        return _Prepared(flop, preparing.ask(EXPORT)["seconds"])


def warm_up(runners: Sequence[TimedProcess], length: Length, seconds: float, on_progress: OnProgress) -> None:
    """Run every runner for `seconds`, one after the other, before anything is measured."""
    for runner in runners:
        on_progress(f"{runner.name} is warming up for {seconds:g} s")
        runner.warm_up(length)


def rounds_at(length: Length, rounds: int) -> int:
    """Return the number of rounds at a length; short speech varies more, so it gets more than `rounds`."""
    return math.ceil(rounds * min(MAX_TIMES_THE_ROUNDS, max(1, STEADY_SECONDS / length.seconds)))


class RoundRobin:
    """Runs all runners in turn, `rounds` times at steady lengths.

    `peak_flop_per_second` is the highest peak measured between the rounds.
    """

    def __init__(
        self, runners: Sequence[TimedProcess], peak: WorkerProcess, rounds: int, on_progress: OnProgress
    ) -> None:
        self._runners = runners
        self._peak = peak
        self._rounds = rounds
        self._on_progress = on_progress
        self.peak_flop_per_second = 0.0

    def at(self, length: Length) -> tuple[Round, ...]:
        """Run and return all rounds at this length, after an unmeasured one that fills the caches."""
        self._on_progress(f"{length.seconds:g} s of speech: warming up")
        self._round(length)
        count = rounds_at(length, self._rounds)
        return tuple(self._measured(length, f"{number} of {count}") for number in range(1, count + 1))

    def _measured(self, length: Length, number: str) -> Round:
        reached = self._peak.ask(MEASURE)["flop_per_second"]
        self.peak_flop_per_second = max(self.peak_flop_per_second, reached)
        turn = self._round(length)
        totals = ", ".join(f"{name} {sum(stages.values()):.3f} s" for name, stages in turn.items())
        self._on_progress(f"{length.seconds:g} s of speech: round {number}: {totals}")
        return turn

    def _round(self, length: Length) -> Round:
        return {runner.name: runner.measure_length(length) for runner in self._runners}


SHORT_TEXT = "Hello world."
LONG_WORDS = 3000
PHRASES: Mapping[int, str] = MappingProxyType(
    {
        1: "Yes.",
        2: "Good morning.",
        4: "How are you today?",
        8: "The ferry leaves for the island at eight.",
        16: "The old clock in the hall went on ticking through the night while the house slept.",
        32: "On the morning of the third day the old man and the boy went down to the quiet harbour with their nets "
        "because the sea was calm and the wind had turned.",
    }
)
"""Sentences without inner punctuation, by their number of words."""
REPEATS = 5


def measure_speech(job: BenchmarkJob, folder: Path) -> SpeechFigures:
    """Measure the time to first audio of requests on the job's device. Raises `EngineError` if one fails."""
    started = time.perf_counter()
    with WorkerProcess(SPEAKING, folder, job.threads) as speaking:
        speaking.answer()
        speaking.ask(SPEAK, text=SHORT_TEXT)
        cold_seconds = time.perf_counter() - started
        short_seconds = _first_audio(speaking, SHORT_TEXT)
        by_words = {words: _first_audio(speaking, text) for words, text in PHRASES.items()}
        long_seconds = _first_audio(speaking, long_text())
    return SpeechFigures(short_seconds, long_seconds, cold_seconds, {**by_words, LONG_WORDS: long_seconds})


def long_text() -> str:
    """Return the sample text, repeated until it has at least `LONG_WORDS` words."""
    words = sample_text_path().read_text(encoding="utf-8").split()
    return " ".join(words * (LONG_WORDS // len(words) + 1))


def _first_audio(speaking: WorkerProcess, text: str) -> float:
    return median(float(speaking.ask(SPEAK, text=text)["seconds_to_first_audio"]) for _ in range(REPEATS))


MIDDLE_TEXT = "The old clock in the hall of the empty house went on ticking through the night."
"""A text of about seven seconds of speech with random full-size weights, four with the starter."""
_PHONEMES = "həlˈO"


def measure_commands(job: BenchmarkJob, folder: Path) -> tuple[CommandFigures, ...]:
    """Measure the command on a short, a middle and the longest text. Raises `EngineError` if one fails."""
    return tuple(_measured(job, text, folder) for text in (SHORT_TEXT, MIDDLE_TEXT, longest_text(job)))


def longest_text(job: BenchmarkJob) -> str:
    """Return a word that fills two utterances of maximum length.

    The second adds to the memory that the first retains.
    """
    count = 2 * max_phonemes(job.config.phoneme_limit, speed=1.0)
    return f"[Hello](/{(_PHONEMES * count)[:count]}/)"


def speak_command(job: BenchmarkJob, text: str, folder: Path) -> tuple[str, ...]:
    """Return the command that speaks a text, on the job's device."""
    weights = [] if job.weights is None else ["--weights", job.weights]
    command = python_command("engine", "speak", text, "--model", job.model, *weights)
    return (*command, "--device", job.device, "--json", "--out", str(folder / "speech.wav"))


def _measured(job: BenchmarkJob, text: str, folder: Path) -> CommandFigures:
    started = time.perf_counter()
    command = speak_command(job, text, folder)
    done = subprocess.run(command, cwd=project_folder(), capture_output=True, text=True, encoding="utf-8", check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise EngineError(f"The command speak failed: {done.stderr.strip().splitlines()[-1]}", "")
    figures = json.loads(done.stdout)
    return CommandFigures(text, figures["seconds_of_longest_utterance"], seconds, figures["peak_bytes"])
