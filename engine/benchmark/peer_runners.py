"""The runner of ours and of each peer: all with the same weights, but for models that bring their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.benchmark.job import Job, onnx_folder, weights_path
from engine.models.checkpoints import open_checkpoint
from engine.network.weights import load_weights
from engine.runners.base import Runner
from engine.runtime.pipeline import ignore
from engine.runtime.preparation.files import ensure_files
from engine.speech import Array

if TYPE_CHECKING:
    from engine.runners.openvino_runner import StaticOpenVinoRunner


def our_runner(job: Job) -> Runner:
    """The compiled modules for the job's device, with their weights, as in speech."""
    from engine.runners.tvm_runner import CompiledRunner  # loads TVM's runtime

    checkpoint = open_checkpoint(job.model, job.weights)
    files = ensure_files(checkpoint, job.device, ignore, lstm_method=job.lstm_method)
    return CompiledRunner(files.modules, job.config, files.weights, job.threads)


def pytorch_runner(job: Job, folder: Path, compiled: bool = False) -> Runner:
    """The modules of the kokoro package in PyTorch."""
    from engine.runners.plain_runner import PlainRunner  # loads torch

    return PlainRunner(job.config, load_weights(weights_path(folder)), job.threads, compiled)


def torch_compile_runner(job: Job, folder: Path) -> Runner:
    """The modules of the kokoro package in PyTorch, with `torch.compile` where it works."""
    return pytorch_runner(job, folder, compiled=True)


def onnx_runner(job: Job, folder: Path) -> Runner:
    """The exported stages in ONNX Runtime."""
    from engine.runners.onnx_runner import OnnxRunner  # loads onnxruntime, which is optional

    return OnnxRunner(onnx_folder(folder), job.threads)


def openvino_runner(job: Job, folder: Path, bfloat16: bool = False) -> Runner:
    """The exported stages in OpenVINO, for any length, in float32 or bfloat16."""
    from engine.runners.openvino_runner import OpenVinoRunner  # loads openvino, which is optional

    return OpenVinoRunner(onnx_folder(folder), job.threads, bfloat16)


def static_openvino_runner(job: Job, folder: Path) -> StaticOpenVinoRunner:
    """The exported stages in OpenVINO, for one length at a time."""
    from engine.runners.openvino_runner import StaticOpenVinoRunner  # loads openvino, which is optional

    return StaticOpenVinoRunner(onnx_folder(folder), job.threads)


class HibariModel:
    """The model that comes with the package hibari-tts, whole, on `threads` threads.

    Its symbols are numbered as Kokoro's are. It has one voice, which no style changes.
    """

    def __init__(self, threads: int) -> None:
        from hibari import Hibari  # loads onnxruntime; both are optional

        self._speech = Hibari(threads=threads)

    def run(self, tokens: Array, style: Array, speed: float) -> Array:
        """See `WholeModel.run`."""
        audio: Array = self._speech.from_ids(tokens[0].tolist(), speed, np.random.default_rng(0))
        return audio
