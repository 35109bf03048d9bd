"""Measures our own requests: first audio of a short and of a long text, and from the start of a process.

It does not know the stages, nor any peer.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

from engine.benchmark.job import Job
from engine.benchmark.measurement import SpeechFigures
from engine.benchmark.process import WorkerProcess
from engine.benchmark.speaking import SPEAK
from engine.benchmark.worker import SPEAKING
from engine.paths import resources_folder

SHORT_TEXT = "Hello world."
LONG_WORDS = 3000
REPEATS = 5


def measure_speech(job: Job, folder: Path) -> SpeechFigures:
    """All figures of requests on the processor; raises `EngineError` when one fails."""
    started = time.perf_counter()
    with WorkerProcess(SPEAKING, folder, job.threads) as speaking:
        speaking.answer()
        speaking.ask(SPEAK, text=SHORT_TEXT)
        cold_seconds = time.perf_counter() - started
        short_seconds = _first_audio(speaking, SHORT_TEXT)
        long_seconds = _first_audio(speaking, long_text())
    return SpeechFigures(short_seconds, long_seconds, cold_seconds)


def long_text() -> str:
    """The sample text over and over, `LONG_WORDS` words of it."""
    words = (resources_folder() / "sample.txt").read_text(encoding="utf-8").split()
    return " ".join(words * (LONG_WORDS // len(words) + 1))


def _first_audio(speaking: WorkerProcess, text: str) -> float:
    return median(float(speaking.ask(SPEAK, text=text)["seconds_to_first_audio"]) for _ in range(REPEATS))
