"""Measures our own requests: first audio of a short and of a long text, cold start, and the command `engine speak`.

It does not know the stages, nor any peer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from engine.benchmark.job import Job
from engine.benchmark.measurement import SpeechFigures
from engine.benchmark.memory import peak_bytes_of
from engine.benchmark.process import WorkerProcess
from engine.benchmark.speaking import SPEAK
from engine.benchmark.worker import SPEAKING
from engine.errors import EngineError
from engine.paths import project_folder, resources_folder

SHORT_TEXT = "Hello world."
LONG_WORDS = 3000
_REPEATS = 5


def measure_speech(job: Job, folder: Path) -> SpeechFigures:
    """All figures of requests on the processor; raises `EngineError` when one fails."""
    started = time.perf_counter()
    with WorkerProcess(SPEAKING, folder, job.threads) as speaking:
        speaking.answer()
        speaking.ask(SPEAK, text=SHORT_TEXT)
        cold_seconds = time.perf_counter() - started
        short_seconds = _first_audio(speaking, SHORT_TEXT)
        long_seconds = _first_audio(speaking, long_text())
    command_seconds, command_peak_bytes = _run_command(job, folder)
    return SpeechFigures(short_seconds, long_seconds, cold_seconds, command_seconds, command_peak_bytes)


def long_text() -> str:
    """The sample text over and over, `LONG_WORDS` words of it."""
    words = (resources_folder() / "sample.txt").read_text(encoding="utf-8").split()
    return " ".join(words * (LONG_WORDS // len(words) + 1))


def speak_command(job: Job, folder: Path) -> list[str]:
    """The command that speaks the short text."""
    weights = [] if job.weights is None else ["--weights", job.weights]
    command = [sys.executable, "-m", "engine", "speak", SHORT_TEXT, "--model", job.model, *weights]
    return [*command, "--device", "cpu", "--json", "--out", str(folder / "speech.wav")]


def _first_audio(speaking: WorkerProcess, text: str) -> float:
    return median(float(speaking.ask(SPEAK, text=text)["seconds_to_first_audio"]) for _ in range(_REPEATS))


def _run_command(job: Job, folder: Path) -> tuple[float, int]:
    """The seconds that the command takes, from its start to its end, and its peak memory in bytes."""
    log = folder / "speak.log"
    started = time.perf_counter()
    with log.open("wb") as stream:
        child = subprocess.Popen(speak_command(job, folder), cwd=project_folder(), stdout=stream, stderr=stream)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise EngineError(f"The command speak failed: {log.read_text(encoding='utf-8').strip()}", "")
    return time.perf_counter() - started, peak_bytes_of(usage)
