"""A process of a benchmark: answers what it is asked, one JSON object a line, until the lines end.

`python -m engine.benchmark.worker ROLE FOLDER`. It does not know who asks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from engine.benchmark.job import Job
from engine.benchmark.peers import ONNX_RUNTIME, OURS, PYTORCH, TORCH_COMPILE
from engine.benchmark.preparing import Preparing
from engine.benchmark.speaking import Speaking
from engine.benchmark.stage_runners import onnx, ours, plain, plain_compiled
from engine.benchmark.stage_timing import StageTiming
from engine.errors import EngineError
from engine.system.child_process import Message, error_fields, message_writer

PREPARING, SPEAKING, PEAK = "preparing", "speaking", "peak"
MEASURE = "measure"


class Role(Protocol):
    """What a process is there for."""

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question; raises `ValueError` for one that is none."""


class Peak:
    """Measures the processor's peak."""

    def __init__(self, job: Job) -> None:
        from engine.benchmark.peak import PeakMeter  # brings tvm

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
        OURS: lambda job, folder: StageTiming(job, folder, ours(job)),
        PYTORCH: lambda job, folder: StageTiming(job, folder, plain(job, folder)),
        TORCH_COMPILE: lambda job, folder: StageTiming(job, folder, plain_compiled(job, folder)),
        ONNX_RUNTIME: lambda job, folder: StageTiming(job, folder, onnx(job, folder)),
    }
)


def serve(name: str, folder: Path, lines: Iterable[str], write: Callable[[Message], None]) -> None:
    """Get ready, say so, and answer every line."""
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
