"""TVM's runtime library without its compiler: loading, threads and tensors, on the CPU or on Metal."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from engine.compiler.artifacts.manifest import METAL_DEVICE
from engine.errors import EngineError, RecoveryAction
from engine.runtime.runners.buffers import Buffers, provide_buffers
from engine.runtime.runners.metal_stream import MetalStream
from engine.runtime.runners.workspace import Workspace, provide_workspace
from engine.speech import Array
from engine.system.aligned_arrays import aligned_copy, aligned_empty, is_aligned
from engine.system.cores import usable_cores
from engine.system.imports import hidden_module
from engine.system.mac import is_quarantined, release_command
from engine.system.memory import keep_little_freed_memory
from engine.system.paths import project_folder

KEPT_BYTES = 64 << 20
"""The maximum size to remember: the data that stages generate for 40 seconds of speech."""
_CPU = (1, 0)
_METAL = (8, 0)
"""Device types and numbers in DLPack's terms."""
_NAIVE_ALLOCATOR, _POOLED_ALLOCATOR = 1, 2
_EXISTS = 0
"""TVM's number of the device attribute that says whether a device exists."""
_SHARE_ALL_CORES = -3
"""TVM's number of the mode in which threads may run on any of the given cores."""
_PACKAGE = "apache-tvm"
_SPINS_VARIABLE, _SPINS = "TVM_THREAD_POOL_SPIN_COUNT", 1000
"""The number of times that an idle thread of a pool yields before it sleeps; TVM reads it with the first pool.

By default, threads yield 300,000 times, also before they end. Beside processes that use all cores, each time may take
milliseconds, so that a finished program would end minutes later.
"""
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Reading:
    array: weakref.ref[Array]
    tensor: Any
    size_bytes: int


class ReadbackCache:
    """The latest arrays read from a device, with the tensors that still hold the same values.

    An array is recognized by its identity, for as long as it exists and is read-only.
    """

    def __init__(self) -> None:
        self._by_identity: dict[int, _Reading] = {}

    def remember(self, array: Array, tensor: Any) -> None:
        """Make `array` read-only, and store the tensor from which it was read."""
        array.flags.writeable = False
        self._by_identity.pop(id(array), None)  # of an earlier array at the same address
        self._by_identity[id(array)] = _Reading(weakref.ref(array), tensor, array.nbytes)

    def tensor(self, array: Array) -> Any | None:
        """Return the tensor with the values of `array`; None if it was not read, is writable, or was forgotten."""
        reading = self._by_identity.get(id(array))
        known = reading is not None and reading.array() is array and not array.flags.writeable
        return reading.tensor if known and reading is not None else None

    def forget_old(self) -> None:
        """Drop the tensors of deleted arrays, then the oldest ones while the total size exceeds the limit."""
        self._by_identity = {key: one for key, one in self._by_identity.items() if one.array() is not None}
        while sum(reading.size_bytes for reading in self._by_identity.values()) > KEPT_BYTES:
            del self._by_identity[next(iter(self._by_identity))]


@dataclass(frozen=True)
class LoadedLibrary:
    """A loaded library: the virtual machine over it, and TVM's module of it."""

    machine: Any
    _module: Any

    def compile_kernel(self, name: str) -> None:
        """Compile this kernel of the library for the GPU, unless that is done."""
        self._module.get_function(name, query_imports=True)

    @contextmanager
    def watched(self, instrument: Callable[..., int]) -> Iterator[None]:
        """Make the virtual machine call this before and after every function, while the context lasts.

        It receives the function, its name, whether it is about to be called, its result, and its arguments.
        """
        self.machine["set_instrument"](instrument)
        try:
            yield
        finally:
            self.machine["set_instrument"](None)


class Runtime:
    """TVM's runtime library on one device.

    Raises `EngineError` if TVM is not installed, or `device` is Metal and this computer has none.
    """

    def __init__(self, device: str, threads: int | None = None) -> None:
        os.environ.setdefault(_SPINS_VARIABLE, str(_SPINS))
        self._ffi = _import_without_torch("tvm_ffi")
        self._library = _load_library(self._ffi, "tvm_runtime", "RTLD_GLOBAL")
        self._memory: _Memory = _MetalMemory(self._ffi) if device == METAL_DEVICE else _HostMemory(self._ffi)
        self._configure_threads = self._ffi.get_global_func("runtime.config_threadpool")
        self._cores = usable_cores()
        self._thread_count = threads or len(self._cores)
        self._threads_ready = threading.local()

    def prepare_thread(self) -> None:
        """Create the calling thread's pool, whose threads may run on any usable core.

        TVM creates one pool per calling thread. By default it has half as many workers as there are logical CPUs,
        because TVM assumes hyper-threading. Threads are not bound to the first cores, on which several processes with
        few threads each would collide.
        """
        if getattr(self._threads_ready, "done", False):
            return
        self._configure_threads(_SHARE_ALL_CORES, self._thread_count, [str(core) for core in self._cores])
        self._threads_ready.done = True

    def load(self, path: Path) -> LoadedLibrary:
        """Load the library at `path`, ready to run. Raises `EngineError` if the system refuses to load it."""
        try:
            module = self._ffi.load_module(str(path))
        except (OSError, RuntimeError) as error:
            raise _refused(path, error) from error
        machine = module["vm_load_executable"]()
        machine["vm_initialization"](*self._memory.machine_arguments)
        return LoadedLibrary(machine, module)

    def workspace(self) -> Workspace | Buffers:
        """Return new memory for stages to compute in."""
        return self._memory.workspace()

    def tensor(self, array: Array) -> Any:
        """Return a tensor of the array: on the CPU the array itself if it `is_aligned`, otherwise a copy.

        On a GPU, it is the tensor of a `result` that is still there, or a copy. The array must not be written to while
        the tensor exists.
        """
        return self._memory.tensor(array)

    def array(self, tensor: Any) -> Array:
        """Return the content of a tensor, once it has been computed."""
        return self._memory.array(tensor)

    def result(self, tensor: Any) -> Array:
        """Return the content of a final tensor; on a GPU it is read-only, and `tensor` recognizes it."""
        return self._memory.result(tensor)

    def computed(self, compute: Callable[[], Result]) -> Result:
        """Return the result of `compute`; on Metal, a second attempt follows if the GPU fails.

        Raises `GpuFailed`; see `MetalStream.computed`.
        """
        return self._memory.computed(compute)

    def synchronize(self) -> None:
        """Wait until the device has completed all its work; a failure of the GPU is detected here."""
        self._memory.synchronize()

    def forget(self) -> None:
        """Release the device's stored results."""
        self._memory.forget()


class _Memory(Protocol):
    """Manages the memory of tensors; `machine_arguments` describe it to a virtual machine."""

    machine_arguments: tuple[int, ...]

    def workspace(self) -> Workspace | Buffers: ...

    def tensor(self, array: Array) -> Any: ...

    def array(self, tensor: Any) -> Array: ...

    def result(self, tensor: Any) -> Array: ...

    def computed(self, compute: Callable[[], Result]) -> Result: ...

    def synchronize(self) -> None: ...

    def forget(self) -> None: ...


class _HostMemory:
    """The CPU's memory; tensors share it with NumPy arrays."""

    machine_arguments: tuple[int, ...] = (*_CPU, _NAIVE_ALLOCATOR)

    def __init__(self, ffi: Any) -> None:
        self._ffi = ffi
        keep_little_freed_memory()
        provide_workspace(ffi)

    def workspace(self) -> Workspace:
        """Return pages of this process."""
        return Workspace()

    def tensor(self, array: Array) -> Any:
        """Return the array itself if possible: copying long noise takes as long as computing the source from it."""
        return _in_place(self._ffi, array)

    def array(self, tensor: Any) -> Array:
        """Return the tensor itself as an array."""
        return np.from_dlpack(tensor)

    def result(self, tensor: Any) -> Array:
        """Return the tensor itself as an array."""
        return self.array(tensor)

    def computed(self, compute: Callable[[], Result]) -> Result:
        """Run only once: CPUs do not fail."""
        return compute()

    def synchronize(self) -> None:
        """Do nothing: copies are synchronous."""

    def forget(self) -> None:
        """Do nothing: arrays are the tensors themselves."""


class _MetalMemory:
    """The GPU's memory; arrays are copied to and from it, but never back after they were read from it.

    TVM waits for the GPU before it frees a buffer, so a machine computes in a workspace and has a pool for its results,
    whose unused buffers are released after waiting for the GPU.
    """

    machine_arguments: tuple[int, ...] = (*_METAL, _POOLED_ALLOCATOR, *_CPU, _NAIVE_ALLOCATOR)

    def __init__(self, ffi: Any) -> None:
        require_metal()
        self._ffi = ffi
        self._device = ffi.device("metal", _METAL[1])
        self._copy = ffi.get_global_func("runtime.TVMTensorCopyFromTo")  # others wait for the GPU after each copy
        self._stream = MetalStream(ffi, self._device)
        self._release_unused = ffi.get_global_func("vm.builtin.memory_manager.clear")
        self._readings = ReadbackCache()
        provide_buffers(ffi, partial(_buffer_on_metal, ffi))

    def workspace(self) -> Buffers:
        """Return buffers of the GPU."""
        return Buffers(partial(_buffer_on_metal, self._ffi))

    def tensor(self, array: Array) -> Any:
        """Return the tensor that a result was read from, or a copy in a new buffer."""
        known = self._readings.tensor(array)
        return self._copied(array) if known is None else known

    def array(self, tensor: Any) -> Array:
        """Copy the tensor, after all earlier computations; their errors are raised when the device settles."""
        copy = aligned_empty(tuple(tensor.shape), np.dtype(str(tensor.dtype)))
        self._copy(tensor, _in_place(self._ffi, copy))
        return copy

    def result(self, tensor: Any) -> Array:
        """Return a read-only copy."""
        copy = self.array(tensor)
        self._readings.remember(copy, tensor)
        return copy

    def computed(self, compute: Callable[[], Result]) -> Result:
        """See `MetalStream.computed`."""
        return self._stream.computed(compute)

    def synchronize(self) -> None:
        """Wait for the GPU, and free unused memory.

        TVM copies to the GPU through 64 staging buffers, used in turn, which never shrink; it starts again with the
        first one after each wait, so only as many grow as there are copies in between.
        """
        self._stream.wait()
        self._readings.forget_old()
        self._release_unused()

    def forget(self) -> None:
        """Release the tensors of results; none is recognized afterwards."""
        self._readings = ReadbackCache()
        self._release_unused()

    def _copied(self, array: Array) -> Any:
        tensor = _empty_on_metal(self._ffi, array.shape, str(array.dtype))
        self._copy(_in_place(self._ffi, array), tensor)
        return tensor


def _in_place(ffi: Any, array: Array) -> Any:
    """Return a CPU tensor that is the array if possible, else a copy of it."""
    return ffi.from_dlpack(array if is_aligned(array) else aligned_copy(array))


def _buffer_on_metal(ffi: Any, size_bytes: int) -> Any:
    return _empty_on_metal(ffi, (size_bytes,), "uint8")


def _empty_on_metal(ffi: Any, shape: tuple[int, ...], dtype: str) -> Any:
    allocate = ffi.get_global_func("runtime.TVMTensorAllocWithScope")
    return allocate(ffi.Shape(shape), ffi.dtype(dtype), ffi.device("metal", _METAL[1]), None)


def require_metal() -> None:
    """Raise `EngineError` unless TVM can compute with Metal in this process."""
    ffi = _import_without_torch("tvm_ffi")
    _load_library(ffi, "tvm_runtime", "RTLD_GLOBAL")
    if not _has_metal_library(ffi) and sys.platform == "darwin":
        _load_library(ffi, "tvm_runtime_metal", "RTLD_LOCAL")
    if not _has_metal_library(ffi) or not ffi.get_global_func("runtime.GetDeviceAttr")(*_METAL, _EXISTS):
        raise EngineError(
            "This computer has no Metal device.",
            "Use --device cpu; Metal needs a Mac with an Apple GPU.",
            RecoveryAction.OTHER_DEVICE,
        )


def _refused(path: Path, error: Exception) -> EngineError:
    if is_quarantined(path):
        command = release_command(project_folder())
        return EngineError(
            "macOS refuses to load the compiled modules, because they were downloaded with a browser.",
            f"Run this in Terminal, then try again: {command}",
        )
    reason = next(iter(str(error).splitlines()), "")
    return EngineError(
        f"The compiled module {path} can’t be loaded ({reason}).", "Run “kokoro-desk doctor”.", RecoveryAction.EXAMINE
    )


def _has_metal_library(ffi: Any) -> bool:
    return ffi.get_global_func("device_api.metal", allow_missing=True) is not None


def _import_without_torch(name: str) -> Any:
    """Import a module that imports torch if available, but works without it.

    Torch costs a second and 190 MB, and nothing here needs it.
    """
    with hidden_module("torch"):
        return importlib.import_module(name)


def _load_library(ffi: Any, name: str, mode: str) -> Any:
    """Load one of TVM's libraries without importing `tvm`, which would load the compiler and take seconds."""
    package = importlib.util.find_spec("tvm")
    if package is None or package.origin is None:
        raise EngineError("TVM isn’t installed.", "Run “make setup”.", RecoveryAction.INSTALL_AGAIN)
    folders = [Path(package.origin).parent / "lib"]
    try:
        return ffi.libinfo.load_lib_ctypes(_PACKAGE, name, mode, folders)
    except (OSError, RuntimeError) as error:
        raise EngineError(
            f"TVM’s library {name} can’t be loaded ({error}).", "Run “make setup”.", RecoveryAction.INSTALL_AGAIN
        ) from error
