"""Who runs the stages in a process of a benchmark, all with the same weights.

It does not know what they are run for.
"""

from __future__ import annotations

from pathlib import Path

from engine.artifacts.manifest import CPU
from engine.benchmark.job import Job, onnx_folder, weights_path
from engine.model_store.checkpoints import open_checkpoint
from engine.network.weights import load_weights
from engine.pipeline import ignore
from engine.preparation.modules import ensure_modules
from engine.preparation.weights import ensure_weights
from engine.runners.base import Runner


def ours(job: Job) -> Runner:
    """The compiled modules for this machine's processor, as they speak: their weights are mapped from the cache."""
    from engine.runners.tvm_runner import CompiledRunner  # brings TVM's runtime

    modules = ensure_modules(job.model, job.config, CPU, ignore)
    weights = ensure_weights(open_checkpoint(job.model, job.weights), modules, ignore)
    return CompiledRunner(modules, job.config, weights, job.threads)


def plain(job: Job, folder: Path, compiled: bool = False) -> Runner:
    """The modules of the kokoro package in PyTorch."""
    from engine.runners.plain_runner import PlainRunner  # brings torch

    return PlainRunner(job.config, load_weights(weights_path(folder)), job.threads, compiled)


def plain_compiled(job: Job, folder: Path) -> Runner:
    """The same with `torch.compile` where it works."""
    return plain(job, folder, compiled=True)


def onnx(job: Job, folder: Path) -> Runner:
    """The exported stages in ONNX Runtime."""
    from engine.runners.onnx_runner import OnnxRunner  # brings onnxruntime, which is optional

    return OnnxRunner(onnx_folder(folder), job.threads)
