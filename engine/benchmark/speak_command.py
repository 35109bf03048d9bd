"""Measures the command `engine speak`, in a process of its own for each of three texts.

It does not know the stages, nor any peer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from engine.benchmark.job import Job
from engine.benchmark.measurement import CommandFigures
from engine.benchmark.requests import SHORT_TEXT
from engine.errors import EngineError
from engine.g2p.split import longest
from engine.paths import project_folder

MIDDLE_TEXT = "The old clock in the hall of the empty house went on ticking through the night."
"""About seven seconds with random weights of full size, four with the starter."""
_PHONEMES = "həlˈO"


def measure_commands(job: Job, folder: Path) -> tuple[CommandFigures, ...]:
    """The figures of a short, a middle and the longest utterances; raises `EngineError` when one fails."""
    return tuple(_measured(job, text, folder) for text in (SHORT_TEXT, MIDDLE_TEXT, longest_text(job)))


def longest_text(job: Job) -> str:
    """A word that fills two utterances of as many phonemes as can be: the second needs what the first has kept too."""
    count = 2 * longest(job.config.phoneme_limit, speed=1.0)
    return f"[Hello](/{(_PHONEMES * count)[:count]}/)"


def speak_command(job: Job, text: str, folder: Path) -> list[str]:
    """The command that speaks a text, on the processor."""
    weights = [] if job.weights is None else ["--weights", job.weights]
    command = [sys.executable, "-m", "engine", "speak", text, "--model", job.model, *weights]
    return [*command, "--device", "cpu", "--json", "--out", str(folder / "speech.wav")]


def _measured(job: Job, text: str, folder: Path) -> CommandFigures:
    started = time.perf_counter()
    command = speak_command(job, text, folder)
    done = subprocess.run(command, cwd=project_folder(), capture_output=True, text=True, encoding="utf-8", check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise EngineError(f"The command speak failed: {done.stderr.strip().splitlines()[-1]}", "")
    figures = json.loads(done.stdout)
    return CommandFigures(text, figures["seconds_of_longest_utterance"], seconds, figures["peak_bytes"])
