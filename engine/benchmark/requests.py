"""Measures our own requests: the time to first audio, and the time and memory of the command `engine speak`."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from types import MappingProxyType

from engine.benchmark.job import Job
from engine.benchmark.measurement import CommandFigures, SpeechFigures
from engine.benchmark.processes import WorkerProcess
from engine.benchmark.worker import SPEAK, SPEAKING
from engine.errors import EngineError
from engine.system.child_process import python_command
from engine.system.paths import project_folder, sample_text_path
from engine.text.g2p.split import longest

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
"""Sentences without a mark inside, by their number of words."""
REPEATS = 5


def measure_speech(job: Job, folder: Path) -> SpeechFigures:
    """Time to first audio of requests on the job's device; raises `EngineError` when one fails."""
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
    """The sample text, repeated until it has at least `LONG_WORDS` words."""
    words = sample_text_path().read_text(encoding="utf-8").split()
    return " ".join(words * (LONG_WORDS // len(words) + 1))


def _first_audio(speaking: WorkerProcess, text: str) -> float:
    return median(float(speaking.ask(SPEAK, text=text)["seconds_to_first_audio"]) for _ in range(REPEATS))


MIDDLE_TEXT = "The old clock in the hall of the empty house went on ticking through the night."
"""About seven seconds of speech with random weights of full size, four with the starter."""
_PHONEMES = "həlˈO"


def measure_commands(job: Job, folder: Path) -> tuple[CommandFigures, ...]:
    """The command on a short text, a middle one and the longest; raises `EngineError` when one fails."""
    return tuple(_measured(job, text, folder) for text in (SHORT_TEXT, MIDDLE_TEXT, longest_text(job)))


def longest_text(job: Job) -> str:
    """A word that fills two utterances of the most phonemes: the second adds to the memory that the first keeps."""
    count = 2 * longest(job.config.phoneme_limit, speed=1.0)
    return f"[Hello](/{(_PHONEMES * count)[:count]}/)"


def speak_command(job: Job, text: str, folder: Path) -> tuple[str, ...]:
    """The command that speaks a text, on the job's device."""
    weights = [] if job.weights is None else ["--weights", job.weights]
    command = python_command("engine", "speak", text, "--model", job.model, *weights)
    return (*command, "--device", job.device, "--json", "--out", str(folder / "speech.wav"))


def _measured(job: Job, text: str, folder: Path) -> CommandFigures:
    started = time.perf_counter()
    command = speak_command(job, text, folder)
    done = subprocess.run(command, cwd=project_folder(), capture_output=True, text=True, encoding="utf-8", check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise EngineError(f"The command speak failed: {done.stderr.strip().splitlines()[-1]}", "")
    figures = json.loads(done.stdout)
    return CommandFigures(text, figures["seconds_of_longest_utterance"], seconds, figures["peak_bytes"])
