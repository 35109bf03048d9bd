"""Ours and the peers it is compared with: which of them can run here, and the runner of each, with the same weights."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from engine.artifacts.manifest import CPU
from engine.benchmark.job import Job, onnx_folder, weights_path
from engine.errors import EngineError, InvalidRequest
from engine.model_store.checkpoints import open_checkpoint
from engine.network.weights import load_weights
from engine.pipeline import ignore
from engine.preparation.modules import ensure_modules
from engine.preparation.weights import ensure_weights
from engine.runners.base import Runner

OURS = "ours"
PYTORCH = "pytorch"
TORCH_COMPILE = "torch-compile"
ONNX_RUNTIME = "onnxruntime"
TITLES: Mapping[str, str] = MappingProxyType(
    {
        PYTORCH: "PyTorch, kokoro's own modules in inference mode",
        TORCH_COMPILE: "the same, the decoder translated by torch.compile for any length",
        ONNX_RUNTIME: "ONNX Runtime, the same modules exported stage by stage",
    }
)
PEER_NAMES = tuple(TITLES)
_ONNX_PACKAGES = ("onnx", "onnxruntime")
_COMPILERS = ("g++", "clang++", "c++")

Finder = Callable[[str], object | None]


@dataclass(frozen=True)
class PeerSelection:
    """The peers to run, and for each of the others why it is left out."""

    names: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


def choose_peers(
    wanted: Sequence[str] | None, package: Finder = importlib.util.find_spec, program: Finder = shutil.which
) -> PeerSelection:
    """No peers for None, all that can run here for no names, else those named.

    Raises `InvalidRequest` for an unknown name, `EngineError` when a peer that is named cannot run here.
    """
    if wanted is None:
        return PeerSelection()
    names = [name for word in wanted for name in word.split(",") if name]
    for name in names:
        if name not in PEER_NAMES:
            raise InvalidRequest(f"There is no peer “{name}”.", f"Peers: {', '.join(PEER_NAMES)}.")
    obstacles = {name: obstacle for name in PEER_NAMES if (obstacle := _obstacle(name, package, program))}
    for name in names:
        if name in obstacles:
            raise EngineError(f"{name} cannot run here: {obstacles[name]}.", "Install that, or leave the peer out.")
    if names:
        return PeerSelection(tuple(dict.fromkeys(names)))
    return PeerSelection(tuple(name for name in PEER_NAMES if name not in obstacles), obstacles)


def our_runner(job: Job) -> Runner:
    """The compiled modules for this machine's processor; as in speech, their weights are mapped from the cache."""
    from engine.runners.tvm_runner import CompiledRunner  # loads TVM's runtime

    modules = ensure_modules(job.model, job.config, CPU, ignore)
    weights = ensure_weights(open_checkpoint(job.model, job.weights), modules, ignore)
    return CompiledRunner(modules, job.config, weights, job.threads)


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


def _obstacle(name: str, package: Finder, program: Finder) -> str:
    if name == ONNX_RUNTIME:
        missing = [needed for needed in _ONNX_PACKAGES if package(needed) is None]
        return f"the extra “bench” is not installed ({', '.join(missing)})" if missing else ""
    if name == TORCH_COMPILE and not any(program(compiler) for compiler in _COMPILERS):
        return f"torch.compile needs a C++ compiler ({', '.join(_COMPILERS)})"
    return ""
