"""Runs stages in compiled libraries: NumPy arrays in and out, with the weights packed once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.compiler.artifacts.manifest import CPU_DEVICE, Artifact, Manifest, Parameter, verify
from engine.compiler.artifacts.packed_weights import PackedWeights
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.runtime.runners.base import check_inputs, named_outputs
from engine.runtime.runners.lstm_functions import provide_lstm
from engine.runtime.runners.tvm_runtime import Runtime
from engine.speech import Array
from engine.stages import ProbeObserver, Stage

_GO_ON = 0
"""The result that tells TVM's virtual machine to call the function."""
MAIN_FUNCTION = "main"
PACK_FUNCTION = "main_transform_params"
LARGE_INPUT_BYTES = 2 << 20
"""The size, five seconds of speech, above which a stage's arrays need the memory that other stages' weights occupy."""


@dataclass(frozen=True)
class SeenCall:
    """A completed call: the kernel's name, and its arguments, including the result.

    Tensors are arrays; on the CPU they share the memory of the call, which is only valid until the next one.
    """

    kernel: str
    arguments: tuple[Array | int | float, ...]
    seconds: float


class Instrument:
    """A hook that a virtual machine calls before and after every function; `observe` receives the calls of `kernels`.

    TVM loses the type of an error that passes through it: an `EngineError` raised by `observe` is stored in `failure`,
    and the run continues unobserved.
    """

    def __init__(
        self,
        kernels: Collection[str],
        observe: Callable[[SeenCall], None],
        array: Callable[[Any], Array],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._kernels = frozenset(kernels)
        self._observe = observe
        self._array = array
        self._clock = clock
        self._began = 0.0
        self.failure: EngineError | None = None

    def __call__(self, function: Any, name: str, before: bool, returned: Any, *arguments: Any) -> int:
        """Record the start of a call, or report it at its end."""
        ended = self._clock()
        if not before and self.failure is None and name in self._kernels:
            given = tuple(self._array(one) if hasattr(one, "shape") else one for one in arguments)
            self._pass_on(SeenCall(name, given, ended - self._began))
        self._began = self._clock()
        return _GO_ON

    def _pass_on(self, seen: SeenCall) -> None:
        try:
            self._observe(seen)
        except EngineError as error:
            self.failure = error


class CompiledRunner:
    """The compiled stages of one model with its weights, on the device that its libraries were built for.

    `folder` holds the libraries and their manifest. `weights` are float32 arrays by folded state-dict key, with extra
    ones ignored, or the result of `packed_stages`. `observe`, if given, receives the probes of libraries that return
    them, for the whole batch; beyond a sequence's length their values are finite but arbitrary. Only `stages` are
    loaded, if given. `around_lstm` is entered while a stage with an LSTM runs. Usable from any thread, one call at a
    time.

    Raises `DamagedFile` if a library has changed since it was built, `GpuFailed` if the GPU fails twice at the weights,
    and `EngineError` if weights are missing or misshapen or the device does not exist.
    """

    def __init__(
        self,
        folder: Path,
        config: ModelConfig,
        weights: Mapping[str, Array] | PackedWeights,
        threads: int | None = None,
        observe: ProbeObserver | None = None,
        stages: Collection[str] | None = None,
        around_lstm: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        manifest = Manifest.load(folder)
        self._runtime = Runtime(manifest.identity.device, threads)
        self._release_lstm = provide_lstm(manifest, folder)
        self._config = config
        self._observe = observe
        self._workspace = self._runtime.workspace()
        self._make_room_for = _keep_all
        if isinstance(weights, PackedWeights) and manifest.identity.device == CPU_DEVICE:
            self._make_room_for = weights.make_room_for
        with self._workspace.lent():
            self._stages = {
                artifact.stage: self._runtime.computed(
                    partial(_CompiledStage, self._runtime, verify(folder, artifact), artifact, weights)
                )
                for artifact in manifest.artifacts
                if stages is None or artifact.stage in stages
            }
        self._around = {one.stage: around_lstm if one.has_lstm else nullcontext for one in manifest.artifacts}

    @property
    def kernel_count(self) -> int:
        """The number of kernels that the stages call; 0 on the CPU, whose kernels need no compiler."""
        return sum(len(stage.kernels) for stage in self._stages.values())

    def warm_up(self) -> Iterator[int]:
        """Compile every kernel for the GPU, which would otherwise happen at their first calls.

        Yields the number of kernels done, from 0 on; nothing if there are none. Stages are compiled in parallel: TVM
        compiles one kernel of a library at a time, and Metal devices may be used from several threads.
        """
        if self.kernel_count:
            yield 0
        with ExitStack() as compilers:
            kernels = []
            for stage in self._stages.values():
                compiler = ThreadPoolExecutor(1)
                compilers.callback(compiler.shutdown, cancel_futures=True)
                kernels += [compiler.submit(stage.library.compile_kernel, name) for name in stage.kernels]
            for done, kernel in enumerate(as_completed(kernels), 1):
                self._runtime.computed(kernel.result)
                yield done

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Run the stage; see `Runner.run_stage`. Raises `GpuFailed` if the GPU fails twice."""
        check_inputs(self._config, stage, inputs)
        if stage.name not in self._stages:
            raise ValueError(f"Stage {stage.name} has no library here.")
        self._runtime.prepare_thread()
        library = self._stages[stage.name]
        arrays = [inputs[tensor.name] for tensor in stage.inputs]
        if sum(array.nbytes for array in arrays) > LARGE_INPUT_BYTES:
            self._make_room_for(stage.name)
        with self._workspace.lent(), self._around[stage.name]():
            values = self._runtime.computed(partial(library.call, arrays))
        return named_outputs(stage, values, library.probes, self._observe)

    def run_watched(
        self, stage: Stage, inputs: Mapping[str, Array], kernels: Collection[str], observe: Callable[[SeenCall], None]
    ) -> dict[str, Array]:
        """Run the stage, with every call of these kernels reported to `observe`; its `EngineError` is raised."""
        instrument = Instrument(kernels, observe, self._runtime.array)
        with self._stages[stage.name].library.watched(instrument):
            outputs = self.run_stage(stage, inputs)
        if instrument.failure is not None:
            raise instrument.failure
        return outputs

    def close(self) -> None:
        """Release libraries and weights."""
        self._stages.clear()
        self._workspace = self._runtime.workspace()
        self._make_room_for = _keep_all
        self._release_lstm()
        self._runtime.forget()


def _keep_all(stage: str) -> None:
    """Release nothing: these weights are not read in place from a file."""


def packed_stages(folder: Path, weights: Mapping[str, Array]) -> Iterator[tuple[str, list[Array]]]:
    """Yield the packed weights of each library in `folder`, by stage, computed on their device.

    Raises the errors of `CompiledRunner`.
    """
    manifest = Manifest.load(folder)
    runtime = Runtime(manifest.identity.device)
    runtime.prepare_thread()
    for artifact in manifest.artifacts:
        stage = _CompiledStage(runtime, verify(folder, artifact), artifact, weights)
        yield artifact.stage, stage.packed()


class _CompiledStage:
    """One loaded library and its packed weights."""

    def __init__(
        self, runtime: Runtime, path: Path, artifact: Artifact, weights: Mapping[str, Array] | PackedWeights
    ) -> None:
        self.probes = artifact.probes
        self.kernels = artifact.kernels
        self.library = runtime.load(path)
        self._runtime = runtime
        self._function = self.library.machine[MAIN_FUNCTION]
        if isinstance(weights, PackedWeights):
            self._weights = tuple(self._uploaded(array) for array in weights.stages[artifact.stage])
        else:
            originals = [self._uploaded(weight_for(parameter, weights)) for parameter in artifact.parameters]
            self._weights = tuple(self.library.machine[PACK_FUNCTION](originals)) if originals else ()
            runtime.synchronize()  # before the originals are freed

    def packed(self) -> list[Array]:
        """Return the weights in the library's format."""
        return [self._runtime.array(tensor) for tensor in self._weights]

    def call(self, arrays: Sequence[Array]) -> list[Array]:
        tensors = [self._runtime.tensor(array) for array in arrays]
        outputs = [self._runtime.result(output) for output in self._function(*tensors, *self._weights)]
        self._runtime.synchronize()  # before the tensors are freed
        return outputs

    def _uploaded(self, weight: Array) -> Any:
        tensor = self._runtime.tensor(weight)
        self._runtime.synchronize()
        return tensor


def weight_for(parameter: Parameter, weights: Mapping[str, Array]) -> Array:
    """Return the weight of this name in the library's format. Raises `EngineError` if it is missing or misshapen."""
    weight = weights.get(parameter.name)
    if weight is None:
        raise EngineError(f"The model doesn’t have the weight {parameter.name}.", "Download or import the model again.")
    if tuple(weight.shape) != parameter.shape:
        raise EngineError(
            f"The weight {parameter.name} has shape {tuple(weight.shape)} instead of {parameter.shape}.",
            "The model’s architecture doesn’t match its description; download or import it again.",
        )
    return np.asarray(weight, parameter.dtype)
