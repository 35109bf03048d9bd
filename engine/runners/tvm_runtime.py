"""TVM's runtime library without its compiler: loading, threads and tensors, on the processor or on Metal."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from engine.artifacts.manifest import METAL_DEVICE
from engine.errors import Cure, EngineError
from engine.runners.metal_stream import MetalStream
from engine.runners.workspace import provide_workspace
from engine.speech import Array
from engine.system.aligned_arrays import aligned_copy, is_aligned
from engine.system.cores import usable_cores
from engine.system.freed_memory import keep_little_freed_memory

_CPU = (1, 0)
_METAL = (8, 0)
"""Device type and number in DLPack's terms."""
_NAIVE_ALLOCATOR, _POOLED_ALLOCATOR = 1, 2
_EXISTS = 0
"""TVM's number of the device attribute that says whether a device exists."""
_SHARE_ALL_CORES = -3
"""TVM's number of the mode in which threads may run on any of the given cores."""
_PACKAGE = "apache-tvm"

Result = TypeVar("Result")


class Runtime:
    """TVM's runtime library on one device.

    Raises `EngineError` when TVM is not installed, or `device` is Metal and this computer has none.
    """

    def __init__(self, device: str, threads: int | None = None) -> None:
        self._ffi = _import_without_torch("tvm_ffi")
        self._library = _load_library(self._ffi, "tvm_runtime", "RTLD_GLOBAL")
        self._memory: _Memory = _MetalMemory(self._ffi) if device == METAL_DEVICE else _HostMemory(self._ffi)
        self._configure_threads = self._ffi.get_global_func("runtime.config_threadpool")
        self._cores = usable_cores()
        self._thread_count = threads or len(self._cores)
        self._threads_ready = threading.local()

    def prepare_thread(self) -> None:
        """Give the calling thread a pool, whose threads may run on any usable core.

        TVM keeps one pool per calling thread. Its default is half as many workers as there are processors, because it
        takes every second one for a hyper-thread. Threads are not bound to the first cores, on which several processes
        of few threads each would collide.
        """
        if getattr(self._threads_ready, "done", False):
            return
        self._configure_threads(_SHARE_ALL_CORES, self._thread_count, [str(core) for core in self._cores])
        self._threads_ready.done = True

    def load(self, path: Path) -> Any:
        """A virtual machine over the library at `path`."""
        machine = self._ffi.load_module(str(path))["vm_load_executable"]()
        machine["vm_initialization"](*self._memory.machine_arguments)
        return machine

    def tensor(self, array: Array) -> Any:
        """A tensor of the array: on the processor the array itself if it `is_aligned`, otherwise a copy.

        The array must not be written to while the tensor exists.
        """
        return self._memory.tensor(array)

    def array(self, tensor: Any) -> Array:
        """The content of a tensor, once it has been computed."""
        return self._memory.array(tensor)

    def computed(self, compute: Callable[[], Result]) -> Result:
        """What `compute` returns; on Metal at the second attempt if the GPU fails at the first.

        Raises `GpuFailed`; see `MetalStream.computed`.
        """
        return self._memory.computed(compute)

    def settle(self) -> None:
        """Wait until the device has done all that it was given; a failure of the GPU shows here."""
        self._memory.settle()

    def release_unused(self) -> None:
        """Release memory that is held for later computations."""
        self._memory.release_unused()


class _Memory(Protocol):
    """The memory of tensors; `machine_arguments` describe it to a virtual machine."""

    machine_arguments: tuple[int, ...]

    def tensor(self, array: Array) -> Any: ...

    def array(self, tensor: Any) -> Array: ...

    def computed(self, compute: Callable[[], Result]) -> Result: ...

    def settle(self) -> None: ...

    def release_unused(self) -> None: ...


class _HostMemory:
    """The processor's memory; tensors share it with numpy arrays."""

    machine_arguments: tuple[int, ...] = (*_CPU, _NAIVE_ALLOCATOR)

    def __init__(self, ffi: Any) -> None:
        self._ffi = ffi
        keep_little_freed_memory()
        provide_workspace(ffi)

    def tensor(self, array: Array) -> Any:
        """The array itself if possible: copying many seconds of noise takes as long as computing the source from it."""
        return self._ffi.from_dlpack(array if is_aligned(array) else aligned_copy(array))

    def array(self, tensor: Any) -> Array:
        """The tensor itself as an array."""
        return np.from_dlpack(tensor)

    def computed(self, compute: Callable[[], Result]) -> Result:
        """At the first attempt: processors do not fail."""
        return compute()

    def settle(self) -> None:
        """Nothing to wait for: copies are synchronous."""

    def release_unused(self) -> None:
        """Nothing is held back."""


class _MetalMemory:
    """The GPU's memory; everything is copied.

    Machines pool their memory, because freeing a buffer waits for the GPU. Each length of speech needs other buffer
    sizes, so unused buffers have to be released now and then.
    """

    machine_arguments: tuple[int, ...] = (*_METAL, _POOLED_ALLOCATOR, *_CPU, _NAIVE_ALLOCATOR)

    def __init__(self, ffi: Any) -> None:
        require_metal()
        self._ffi = ffi
        self._device = ffi.device("metal", _METAL[1])
        self._allocate = ffi.get_global_func("runtime.TVMTensorAllocWithScope")
        self._fill = ffi.get_global_func("runtime.TVMTensorCopyFromBytes")
        self._read = ffi.get_global_func("runtime.TVMTensorCopyToBytes")
        self._stream = MetalStream(ffi, self._device)
        self._release = ffi.get_global_func("vm.builtin.memory_manager.clear")

    def tensor(self, array: Array) -> Any:
        """A copy in a buffer of its own."""
        source = np.ascontiguousarray(array)
        tensor = self._allocate(self._ffi.Shape(array.shape), self._ffi.dtype(str(array.dtype)), self._device, None)
        self._fill(tensor, ctypes.c_void_p(source.ctypes.data), source.nbytes)
        return tensor

    def array(self, tensor: Any) -> Array:
        """A copy, made after all earlier computations."""
        result = np.empty(tuple(tensor.shape), str(tensor.dtype))
        self._read(tensor, ctypes.c_void_p(result.ctypes.data), result.nbytes)
        return result

    def computed(self, compute: Callable[[], Result]) -> Result:
        """See `MetalStream.computed`."""
        return self._stream.computed(compute)

    def settle(self) -> None:
        """Wait for the GPU.

        TVM copies to it through 64 staging buffers, which it reuses without waiting until they have been read.
        """
        self._stream.wait()

    def release_unused(self) -> None:
        """Release the pool's unused buffers."""
        self._release()


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
            Cure.OTHER_DEVICE,
        )


def _has_metal_library(ffi: Any) -> bool:
    return ffi.get_global_func("device_api.metal", allow_missing=True) is not None


def _import_without_torch(name: str) -> Any:
    """Import a module that imports torch if it can, but works without it.

    Torch costs a second and 190 MB, and nothing here needs it. Python cannot import a module whose entry in
    `sys.modules` is None; torch can be imported again as soon as this function returns.
    """
    if "torch" in sys.modules:
        return importlib.import_module(name)
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        return importlib.import_module(name)
    finally:
        del sys.modules["torch"]


def _load_library(ffi: Any, name: str, mode: str) -> Any:
    """Load one of TVM's libraries without importing `tvm`, which would load the compiler and take seconds."""
    package = importlib.util.find_spec("tvm")
    if package is None or package.origin is None:
        raise EngineError("TVM is not installed.", "Run “make setup”.", Cure.INSTALL_AGAIN)
    folders = [Path(package.origin).parent / "lib"]
    try:
        return ffi.libinfo.load_lib_ctypes(_PACKAGE, name, mode, folders)
    except (OSError, RuntimeError) as error:
        raise EngineError(
            f"TVM's library {name} cannot be loaded ({error}).", "Run “make setup”.", Cure.INSTALL_AGAIN
        ) from error
