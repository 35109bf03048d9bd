"""A process of a benchmark, which answers questions in its role until there are no more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from engine.benchmark.job import BenchmarkJob, kokoro_onnx_path
from engine.benchmark.peer_runners import (
    HibariModel,
    onnx_runner,
    openvino_runner,
    our_runner,
    pytorch_runner,
    static_openvino_runner,
    torch_compile_runner,
    whole_model_parts,
)
from engine.benchmark.peers import (
    HIBARI,
    KOKORO_ONNX_INT8,
    ONNX_RUNTIME,
    OPENVINO,
    OPENVINO_BFLOAT16,
    OPENVINO_STATIC,
    OURS,
    OURS_ON_PROCESSOR,
    PYTORCH,
    TORCH_COMPILE,
)
from engine.benchmark.preparing import Preparing
from engine.benchmark.stage_timing import Timing, stage_parts
from engine.runtime.runners.base import Runner
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest

PREPARING, SPEAKING, PEAK = "preparing", "speaking", "peak"
MEASURE, SPEAK = "measure", "speak"


@dataclass(frozen=True)
class Question:
    """A question to a role, and its details, as plain values."""

    name: str
    details: dict[str, Any]


class Role(Protocol):
    """The role of a process in a benchmark."""

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a question. Raises `ValueError` for an unknown one."""


class Speaking:
    """Answers `speak` with the seconds from a request, made like the application's, to its first audio.

    The first question loads the model.
    """

    def __init__(self, job: BenchmarkJob) -> None:
        self._synthesizer = Synthesizer(job.model, job.device, job.weights, lstm_method=job.lstm_method)
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
    """Answers `measure` with the CPU's peak."""

    def __init__(self, job: BenchmarkJob) -> None:
        from engine.benchmark.peak import PeakMeter  # loads tvm

        self._meter = PeakMeter(job.threads)

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        if question != MEASURE:
            raise ValueError(question)
        return {"flop_per_second": self._meter.flop_per_second()}


def _static_openvino(job: BenchmarkJob, folder: Path) -> Role:
    runner = static_openvino_runner(job, folder)
    return Timing(job, folder, stage_parts(runner, runner.compile_for))


def _kokoro_onnx(job: BenchmarkJob, folder: Path) -> Role:
    from engine.runtime.runners.onnx_runner import WholeOnnxModel  # loads onnxruntime, which is optional

    return Timing(job, folder, whole_model_parts(WholeOnnxModel(kokoro_onnx_path(), job.threads), job.config))


def _hibari(job: BenchmarkJob, folder: Path) -> Role:
    return Timing(job, folder, whole_model_parts(HibariModel(job.threads), job.config))


def _runs_stages(make_runner: Callable[[BenchmarkJob, Path], Runner]) -> Callable[[BenchmarkJob, Path], Role]:
    return lambda job, folder: Timing(job, folder, stage_parts(make_runner(job, folder)))


ROLES: Mapping[str, Callable[[BenchmarkJob, Path], Role]] = MappingProxyType(
    {
        PREPARING: Preparing,
        SPEAKING: lambda job, _: Speaking(job),
        PEAK: lambda job, _: Peak(job),
        OURS: _runs_stages(lambda job, _: our_runner(job)),
        OURS_ON_PROCESSOR: _runs_stages(lambda job, _: our_runner(job.on_processor)),
        PYTORCH: _runs_stages(pytorch_runner),
        TORCH_COMPILE: _runs_stages(torch_compile_runner),
        ONNX_RUNTIME: _runs_stages(onnx_runner),
        OPENVINO: _runs_stages(openvino_runner),
        OPENVINO_STATIC: _static_openvino,
        OPENVINO_BFLOAT16: _runs_stages(partial(openvino_runner, bfloat16=True)),
        KOKORO_ONNX_INT8: _kokoro_onnx,
        HIBARI: _hibari,
    }
)


def serve(name: str, folder: Path, questions: Iterator[Question], answer: Callable[[dict[str, Any]], None]) -> None:
    """Take on the role `name`, report that it is ready, and answer every question. Raises the errors of the role."""
    role = ROLES[name](BenchmarkJob.load(folder), folder)
    answer({"ready": name})
    for question in questions:
        answer(role.answer(question.name, question.details))
