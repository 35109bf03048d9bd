"""Runs stages in compiled libraries: numpy in, numpy out, the weights packed once.

It uses TVM's runtime alone, without its compiler, and does not know how a library was built.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.artifacts import Artifact, Manifest, Parameter, verify
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.runners.base import check_inputs, named_outputs
from engine.runners.cores import usable_cores
from engine.runners.lstm_functions import provide_lstm
from engine.speech import Array
from engine.stages import ProbeObserver, Stage

MAIN_FUNCTION = "main"
PACK_FUNCTION = "main_transform_params"
_ALIGNMENT_BYTES = 64
"""Compiled code loads vectors from addresses it takes to be multiples of this."""
_CPU_DEVICE = (1, 0)
"""Device type and number of the host in DLPack's terms."""
_NAIVE_ALLOCATOR = 1
_SHARE_ALL_CORES = -3
"""TVM's name for threads that may run on any of the cores given."""


class CompiledRunner:
    """The compiled stages of one model with its weights.

    `folder` holds the libraries and their manifest; `weights` are float32 arrays by folded state-dict key, and may hold
    more than is needed. `observe`, if given, gets the probes of libraries built to show them, of the whole batch at
    once, with anything finite beyond a member's length. Usable from any thread, one call at a time.
    Raises `DamagedFile` when a library is not as it was built, `EngineError` when weights are missing or misshapen.
    """

    def __init__(
        self,
        folder: Path,
        config: ModelConfig,
        weights: Mapping[str, Array],
        threads: int | None = None,
        observe: ProbeObserver | None = None,
    ) -> None:
        self._runtime = _Runtime(threads)
        manifest = Manifest.load(folder)
        self._release_lstm = provide_lstm(manifest, folder)
        self._config = config
        self._observe = observe
        self._stages = {
            artifact.stage: _CompiledStage(self._runtime, verify(folder, artifact), artifact, weights)
            for artifact in manifest.artifacts
        }

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run`."""
        check_inputs(self._config, stage, inputs)
        if stage.name not in self._stages:
            raise ValueError(f"Stage {stage.name} has no library here.")
        self._runtime.prepare_thread()
        library = self._stages[stage.name]
        values = library.run([inputs[tensor.name] for tensor in stage.inputs])
        return named_outputs(stage, values, library.probes, self._observe)

    def close(self) -> None:
        """Release libraries and weights."""
        self._stages.clear()
        self._release_lstm()


class _CompiledStage:
    """One loaded library and its packed weights."""

    def __init__(self, runtime: _Runtime, path: Path, artifact: Artifact, weights: Mapping[str, Array]) -> None:
        self.probes = artifact.probes
        machine = runtime.load(path)
        self._tensor = runtime.tensor
        self._function = machine[MAIN_FUNCTION]
        self._keep = machine
        originals = [self._tensor(weight_for(parameter, weights)) for parameter in artifact.parameters]
        self._weights = tuple(machine[PACK_FUNCTION](originals)) if originals else ()

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        outputs = self._function(*(self._tensor(array) for array in arrays), *self._weights)
        return [np.from_dlpack(output) for output in outputs]


class _Runtime:
    """TVM's runtime library, its threads and tensors."""

    def __init__(self, threads: int | None) -> None:
        self._ffi = _import_without_torch("tvm_ffi")
        self._library = _load_runtime_library(self._ffi)
        self._configure_threads = self._ffi.get_global_func("runtime.config_threadpool")
        self._cores = usable_cores(threads)
        self._threads_ready = threading.local()

    def prepare_thread(self) -> None:
        """Give the calling thread a pool on all usable cores.

        TVM keeps one pool per calling thread and by itself starts only half as many workers as there are processors,
        taking every second one for a hyper-thread.
        """
        if getattr(self._threads_ready, "done", False):
            return
        self._configure_threads(_SHARE_ALL_CORES, len(self._cores), [str(core) for core in self._cores])
        self._threads_ready.done = True

    def load(self, path: Path) -> Any:
        """A virtual machine over the library at `path`."""
        machine = self._ffi.load_module(str(path))["vm_load_executable"]()
        machine["vm_initialization"](*_CPU_DEVICE, _NAIVE_ALLOCATOR)
        return machine

    def tensor(self, array: Array) -> Any:
        """A copy of the array where compiled code may read it with aligned vectors."""
        space = np.empty(array.nbytes + _ALIGNMENT_BYTES, np.uint8)
        start = -space.ctypes.data % _ALIGNMENT_BYTES
        aligned = space[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        aligned[...] = array
        return self._ffi.from_dlpack(aligned)


def weight_for(parameter: Parameter, weights: Mapping[str, Array]) -> Array:
    """The weight of this name as the library wants it; raises `EngineError` when it is missing or misshapen."""
    weight = weights.get(parameter.name)
    if weight is None:
        raise EngineError(f"The model has no weight named {parameter.name}.", "Fetch or import the model again.")
    if tuple(weight.shape) != parameter.shape:
        raise EngineError(
            f"The weight {parameter.name} has shape {tuple(weight.shape)} instead of {parameter.shape}.",
            "The model is of another architecture than its description says; fetch or import it again.",
        )
    return np.asarray(weight, parameter.dtype)


def _import_without_torch(name: str) -> Any:
    """Import a module that would bring torch if it could, though it works without.

    Torch costs a second and 190 MB, and nothing here needs it. A module set to None cannot be imported (a rule of
    Python's import system); torch can be again as soon as this returns.
    """
    if "torch" in sys.modules:
        return importlib.import_module(name)
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        return importlib.import_module(name)
    finally:
        del sys.modules["torch"]


def _load_runtime_library(tvm_ffi: Any) -> Any:
    """Load libtvm_runtime without importing `tvm`, which would bring the compiler and take seconds."""
    package = importlib.util.find_spec("tvm")
    if package is None or package.origin is None:
        raise EngineError("TVM is not installed.", "Run “make setup”.")
    folders = [Path(package.origin).parent / "lib"]
    return tvm_ffi.libinfo.load_lib_ctypes("apache-tvm", "tvm_runtime", "RTLD_GLOBAL", folders)
