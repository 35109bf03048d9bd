"""Checks how this system loads, trusts and compiles every library and kernel of the shipped modules.

Kernels are compiled in the same way as by the program: by Metal itself, from source. Without a Mac, TVM's Metal device
compiles them, if this process has one.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.compiler.artifacts.embedded_modules import metal_kernels, metal_libraries, metal_module
from engine.compiler.artifacts.processor_families import families_here
from engine.errors import EngineError
from engine.runtime.runners.tvm_runtime import Runtime
from engine.system.mac import ObjectiveC, is_quarantined, release_command
from engine.system.paths import project_folder, shipped_modules_folder

_METAL = "/System/Library/Frameworks/Metal.framework/Metal"
_MSL_2_3 = 0x2_0003
"""Apple's number of the language version that TVM requests."""
_FAMILIES = {f"Apple{number}": 1000 + number for number in range(5, 12)} | {"Metal3": 5001, "Metal4": 5002}
"""Apple's numbers of GPU families; `Apple7` is the first with SIMD-group matrices."""

Compile = Callable[[bytes, str, str], Mapping[str, Any]]
"""Compiles the kernel of a module, by name and source; returns measurements, or the `problem`."""


def compiled() -> Iterator[dict[str, Any]]:
    """Yield the device, then each distinct kernel once. Raises `EngineError` without a device."""
    if sys.platform == "darwin":
        metal = Metal(ObjectiveC(), _device_of_this_mac())
        yield metal.described()
        yield from all_compiled(metal_libraries(shipped_modules_folder()), metal.compiled)
    else:
        yield from all_compiled(metal_libraries(shipped_modules_folder()), _compiled_by_tvm())


def all_compiled(libraries: Iterator[Path], compile_kernel: Compile) -> Iterator[dict[str, Any]]:
    """Compile each distinct kernel of these libraries and yield the result."""
    seen = set()
    for library in libraries:
        module = metal_module(library)
        for kernel in metal_kernels(module).items():
            if kernel not in seen:
                seen.add(kernel)
                digest = hashlib.sha256(kernel[1].encode()).hexdigest()[:12]
                yield {"kernel": kernel[0], "source": digest, **compile_kernel(module, *kernel)}


class Metal:
    """Metal's device and its compiler, called through Objective-C."""

    def __init__(self, runtime: ObjectiveC, device: int) -> None:
        self._runtime, self._device = runtime, device

    def described(self) -> dict[str, Any]:
        """Return the device and its families."""
        send, device = self._runtime.send, self._device
        return {
            "device": self._runtime.words(send(device, "name")),
            "families": [
                name
                for name, number in _FAMILIES.items()
                if send(device, "supportsFamily:", ctypes.c_long(number), result=ctypes.c_bool)
            ],
            "threadgroup_bytes": send(device, "maxThreadgroupMemoryLength", result=ctypes.c_ulong),
            "working_set_bytes": send(device, "recommendedMaxWorkingSetSize", result=ctypes.c_uint64),
        }

    def compiled(self, module: bytes, name: str, text: str) -> dict[str, Any]:
        """Compile a kernel; return Metal's times and its description of the kernel, or the error."""
        pool = self._new("NSAutoreleasePool")
        try:
            return self._compiled(name, text)
        except _Refused as error:
            return {"problem": f"{name}: {error}"}
        finally:
            self._runtime.send(pool, "drain")

    def _compiled(self, name: str, text: str) -> dict[str, Any]:
        send, runtime, device = self._runtime.send, self._runtime, self._device
        options = self._new("MTLCompileOptions")
        send(options, "setLanguageVersion:", ctypes.c_ulong(_MSL_2_3))
        send(options, "setFastMathEnabled:", ctypes.c_bool(True))
        started = time.perf_counter()
        library = self._made(device, "newLibraryWithSource:options:error:", runtime.text(text), options)
        library_seconds = time.perf_counter() - started
        function = send(library, "newFunctionWithName:", runtime.text(name))
        if not function:
            raise _Refused("the library has no such function")
        started = time.perf_counter()
        pipeline = self._made(device, "newComputePipelineStateWithFunction:error:", function)
        figures = {
            "library_milliseconds": 1e3 * library_seconds,
            "pipeline_milliseconds": 1e3 * (time.perf_counter() - started),
            "most_threads": send(pipeline, "maxTotalThreadsPerThreadgroup", result=ctypes.c_ulong),
            "simd_width": send(pipeline, "threadExecutionWidth", result=ctypes.c_ulong),
            "threadgroup_bytes": send(pipeline, "staticThreadgroupMemoryLength", result=ctypes.c_ulong),
        }
        for made in (pipeline, function, library, options):
            send(made, "release")
        return figures

    def _new(self, name: str) -> int:
        send = self._runtime.send
        return int(send(send(self._runtime.class_named(name), "alloc"), "init"))

    def _made(self, receiver: int, message: str, *arguments: int) -> int:
        """Return the object returned by a message whose last argument is an error. Raises `_Refused`."""
        error = ctypes.c_void_p()
        made = self._runtime.send(receiver, message, *arguments, ctypes.addressof(error))
        if not made:
            described = self._runtime.send(error.value or 0, "localizedDescription") if error.value else 0
            raise _Refused(self._runtime.words(described) or "no reason is given")
        return int(made)


class _Refused(Exception):
    """Metal's reason for rejecting a kernel."""


def _device_of_this_mac() -> int:
    create = ctypes.CDLL(_METAL).MTLCreateSystemDefaultDevice
    create.restype = ctypes.c_void_p
    device = create()
    if not device:
        raise EngineError("This Mac gives no Metal device to this process.")
    return int(device)


def _compiled_by_tvm() -> Compile:
    import tvm_ffi

    load = tvm_ffi.get_global_func("ffi.Module.load_from_bytes.metal", allow_missing=True)
    if load is None:
        raise EngineError("This computer has no Metal device.")

    def compile_kernel(module: bytes, name: str, text: str) -> dict[str, Any]:
        started = time.perf_counter()
        try:
            load(module).get_function(name)
        except RuntimeError as error:
            return {"problem": f"{name}: {error}"}
        return {"milliseconds": 1e3 * (time.perf_counter() - started)}

    return compile_kernel


_CODESIGN = "/usr/bin/codesign"


def libraries_here() -> list[Path]:
    """Return the libraries shipped for this system. Raises `EngineError` if there are none."""
    if sys.platform == "darwin":
        found = sorted(shipped_modules_folder().glob("*/*.dylib"))
    else:
        fitting = [family.name for family, unavailable_reason in families_here().items() if not unavailable_reason]
        if not fitting:
            raise EngineError("No libraries are bundled for this CPU.", "“kokoro-desk doctor” shows why.")
        found = sorted(path for name in fitting for path in shipped_modules_folder().glob(f"*-cpu-{name}/*.so"))
    if not found:
        raise EngineError("The bundled libraries are missing.", "Reinstall Kokoro Desk.")
    return found


def quarantine() -> Iterator[dict[str, Any]]:
    """Yield whether macOS quarantines each library."""
    for path in libraries_here():
        problem = f"it is quarantined; run: {release_command(project_folder())}" if is_quarantined(path) else ""
        yield {"library": _name(path), "problem": problem}


def signatures() -> Iterator[dict[str, Any]]:
    """Yield macOS's verdict on each library's signature."""
    for path in libraries_here():
        command = [_CODESIGN, "--verify", "--strict", "--verbose=2", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        yield {"library": _name(path), "problem": (done.stderr or "refused").strip() if done.returncode else ""}


def loaded() -> Iterator[dict[str, Any]]:
    """Load each library with the system's loader, resolving all symbols, and yield the time or the problem."""
    Runtime("cpu")
    for path in libraries_here():
        started = time.perf_counter()
        problem = ""
        try:
            ctypes.CDLL(str(path), os.RTLD_NOW)
        except OSError as error:
            problem = str(error)
        milliseconds = 1e3 * (time.perf_counter() - started)
        yield {"library": _name(path), "milliseconds": milliseconds, "problem": problem}


def _name(path: Path) -> str:
    return path.relative_to(shipped_modules_folder()).as_posix()
