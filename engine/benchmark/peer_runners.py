"""The runners of our modules and of each peer: all with the same weights, except models with their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.benchmark.job import BenchmarkJob, onnx_folder, weights_path
from engine.benchmark.stage_timing import Parts, TimedPart
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.models.checkpoints import open_checkpoint
from engine.network.weights import load_weights
from engine.runtime.pipeline import ignore
from engine.runtime.preparation.files import ensure_files
from engine.runtime.runners.base import Runner
from engine.speech import Array

if TYPE_CHECKING:
    from engine.runtime.runners.openvino_runner import StaticOpenVinoRunner


def our_runner(job: BenchmarkJob) -> Runner:
    """Return the runner of the compiled modules for the job's device, with their weights, as in speech."""
    from engine.runtime.runners.tvm_runner import CompiledRunner  # loads TVM's runtime

    checkpoint = open_checkpoint(job.model, job.weights)
    files = ensure_files(checkpoint, job.device, ignore, lstm_method=job.lstm_method)
    return CompiledRunner(files.modules, job.config, files.weights, job.threads)


def pytorch_runner(job: BenchmarkJob, folder: Path, compiled: bool = False) -> Runner:
    """Return the runner of the kokoro package's modules in PyTorch."""
    from engine.runtime.runners.plain_runner import PlainRunner  # loads torch

    return PlainRunner(job.config, load_weights(weights_path(folder)), job.threads, compiled)


def torch_compile_runner(job: BenchmarkJob, folder: Path) -> Runner:
    """Return the runner of the kokoro package's modules in PyTorch, with `torch.compile` where it works."""
    return pytorch_runner(job, folder, compiled=True)


def onnx_runner(job: BenchmarkJob, folder: Path) -> Runner:
    """Return the runner of the exported stages in ONNX Runtime."""
    from engine.runtime.runners.onnx_runner import OnnxRunner  # loads onnxruntime, which is optional

    return OnnxRunner(onnx_folder(folder), job.threads)


def openvino_runner(job: BenchmarkJob, folder: Path, bfloat16: bool = False) -> Runner:
    """Return the runner of the exported stages in OpenVINO, for any length, in float32 or bfloat16."""
    from engine.runtime.runners.openvino_runner import OpenVinoRunner  # loads openvino, which is optional

    return OpenVinoRunner(onnx_folder(folder), job.threads, bfloat16)


def static_openvino_runner(job: BenchmarkJob, folder: Path) -> StaticOpenVinoRunner:
    """Return the runner of the exported stages in OpenVINO, for one length at a time."""
    from engine.runtime.runners.openvino_runner import StaticOpenVinoRunner  # loads openvino, which is optional

    return StaticOpenVinoRunner(onnx_folder(folder), job.threads)


class HibariModel:
    """The model of the package hibari-tts, as a whole, on `threads` threads.

    Its symbols are numbered like Kokoro's. It has one voice, which no style changes.
    """

    def __init__(self, threads: int) -> None:
        from hibari import Hibari  # loads onnxruntime; both are optional

        self._speech = Hibari(threads=threads)

    def speak_tokens(self, tokens: Array, style: Array, speed: float) -> Array:
        """See `WholeModel.speak_tokens`."""
        audio: Array = self._speech.from_ids(tokens[0].tolist(), speed, np.random.default_rng(0))
        return audio


WHOLE_MODEL = "whole model"
"""The name of such a peer's only part, which replaces the stages."""
NEAR_ENOUGH = 0.01
"""The relative error of the audio's length at which the search for a speed ends."""
_TRIALS = 8
_MAX_OFF = 0.1
"""The relative error of the audio's length above which the nearest speed is rejected."""


class WholeModel(Protocol):
    """A model that generates audio from tokens."""

    def speak_tokens(self, tokens: Array, style: Array, speed: float) -> Array:
        """Return the audio [samples] of tokens [1, tokens] and a style [1, timbre and prosody]."""


def whole_model_parts(model: WholeModel, config: ModelConfig) -> Parts:
    """Return the model as one part to time, at the speed at which its audio is about as long as an utterance."""

    def parts(values: Mapping[str, Array]) -> dict[str, TimedPart]:
        style = np.concatenate([values["timbre"], values["prosody"]], axis=1)
        run = partial(model.speak_tokens, values["tokens"], style)
        frames = int(values["frame_count"][0])
        speed, reached = fitted_speed(lambda speed: frames_of(run(speed), config), frames)
        return {WHOLE_MODEL: TimedPart(partial(run, speed), reached / frames)}

    return parts


def frames_of(audio: Array, config: ModelConfig) -> int:
    """Return the number of frames of the audio [samples]. Raises `EngineError` if it is empty or not finite."""
    frames = round(len(audio) / config.samples_per_frame)
    if frames < 1 or not np.isfinite(audio).all():
        raise EngineError("The whole model’s audio is empty, or not finite.", "Install or download it again.")
    return frames


def fitted_speed(frames_at: Callable[[float], int], wanted: int) -> tuple[float, int]:
    """Return a speed with about the wanted number of frames, and the number of frames at that speed.

    Durations are rounded and at least one frame long, so frames are not exactly inverse to the speed: it is corrected
    until they are near enough. Raises `EngineError` if no speed comes near.
    """
    speed, best = 1.0, (1.0, 0)
    for _ in range(_TRIALS):
        frames = frames_at(speed)
        best = min(best, (speed, frames), key=lambda trial: abs(trial[1] - wanted))
        if abs(frames - wanted) <= NEAR_ENOUGH * wanted:
            break
        speed *= frames / wanted
    if abs(best[1] - wanted) > _MAX_OFF * wanted:
        raise EngineError(f"The whole model generates {best[1]} frames instead of {wanted}.", "Omit this peer.")
    return best
