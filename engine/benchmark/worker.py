"""A process of a benchmark: answers questions in its role, one JSON object a line, until the lines end.

Started by `python -m engine.benchmark.worker ROLE FOLDER`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from engine.artifacts.manifest import CPU_DEVICE
from engine.benchmark.job import Job
from engine.benchmark.peers import (
    ONNX_RUNTIME,
    OURS,
    PYTORCH,
    TORCH_COMPILE,
    onnx_runner,
    our_runner,
    pytorch_runner,
    torch_compile_runner,
)
from engine.benchmark.preparing import Preparing
from engine.benchmark.stage_timing import StageTiming
from engine.errors import EngineError
from engine.speech import SpeechRequest
from engine.synthesizer import Synthesizer
from engine.system.child_process import Message, error_fields, message_writer

PREPARING, SPEAKING, PEAK = "preparing", "speaking", "peak"
MEASURE, SPEAK = "measure", "speak"


class Role(Protocol):
    """The part that a process has in a benchmark."""

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question; raises `ValueError` for an unknown one."""


class Speaking:
    """Answers `speak` with the seconds from a request, as the application makes it, to its first audio.

    The first question loads the model.
    """

    def __init__(self, job: Job) -> None:
        self._synthesizer = Synthesizer(job.model, CPU_DEVICE, job.weights)
        self._voice = self._synthesizer.voices()[0].name

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        if question != SPEAK:
            raise ValueError(question)
        started = time.perf_counter()
        chunks = self._synthesizer.synthesize(SpeechRequest(details["text"], self._voice))
        next(iter(chunks))
        return {"seconds_to_first_audio": time.perf_counter() - started}


class Peak:
    """Answers `measure` with the processor's peak."""

    def __init__(self, job: Job) -> None:
        from engine.benchmark.peak import PeakMeter  # loads tvm

        self._meter = PeakMeter(job.threads)

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        if question != MEASURE:
            raise ValueError(question)
        return {"flop_per_second": self._meter.flop_per_second()}


ROLES: Mapping[str, Callable[[Job, Path], Role]] = MappingProxyType(
    {
        PREPARING: Preparing,
        SPEAKING: lambda job, _: Speaking(job),
        PEAK: lambda job, _: Peak(job),
        OURS: lambda job, folder: StageTiming(job, folder, our_runner(job)),
        PYTORCH: lambda job, folder: StageTiming(job, folder, pytorch_runner(job, folder)),
        TORCH_COMPILE: lambda job, folder: StageTiming(job, folder, torch_compile_runner(job, folder)),
        ONNX_RUNTIME: lambda job, folder: StageTiming(job, folder, onnx_runner(job, folder)),
    }
)


def serve(name: str, folder: Path, lines: Iterable[str], write: Callable[[Message], None]) -> None:
    """Take on the role `name`, say that it is ready, and answer every line."""
    try:
        role = ROLES[name](Job.load(folder), folder)
        write({"ready": name})
        for line in lines:
            request = json.loads(line)
            write(role.answer(request.pop("do"), request))
    except EngineError as error:
        write(error_fields(error))


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]), sys.stdin, message_writer())
