"""Gives TVM a Metal device on machines without one. It is independent of running kernels."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from tests.software_metal.build import Build, build_kernels, build_library


@dataclass(frozen=True)
class Counts:
    """Counts of the device's work since it was installed or its counts were reset.

    `max_buffer_launches` is the most launches in one command buffer, which a wait, a copy to the host, or a 65th copy
    to the device ends. `kernels` are those requested for the first time, which TVM compiles then. `uploads` are copies
    to the device, of `uploaded_bytes` in all, `readings` copies to the host. `aborts` are errors where TVM cannot raise
    them: it would have ended the process. `staging_buffers`, of `staging_bytes` in all, are those that the calling
    thread has now.
    """

    launches: int
    max_buffer_launches: int
    syncs: int
    kernels: int
    uploads: int
    uploaded_bytes: int
    readings: int
    resets: int
    aborts: int
    staging_buffers: int
    staging_bytes: int


@dataclass
class Loading:
    """The mode of compiling kernels that are first used from now on."""

    build: Build = Build.CHECKED


class SoftwareMetal:
    """The installed device: its counts, its strictness, and its failures."""

    def __init__(self, loading: Loading) -> None:
        self._loading = loading

    def device(self):
        """Return TVM's device, for tensors and the virtual machine."""
        import tvm

        return tvm.metal(0)

    def counts(self) -> Counts:
        """Return its counts."""
        return Counts(**{str(name): count for name, count in _function("counts")().items()})

    def count_anew(self) -> None:
        """Reset the counts."""
        _function("count_anew")()

    def launches(self) -> int:
        """Return the number of kernels launched."""
        return self.counts().launches

    def live_buffers(self) -> int:
        """Return the number of buffers allocated and not freed, without those of garbage."""
        gc.collect()
        return _function("live_buffers")()

    def live_bytes(self) -> int:
        """Return the size of these buffers."""
        gc.collect()
        return _function("live_bytes")()

    @contextmanager
    def behaving(
        self,
        fail_launch: int = 0,
        failures: int = 1,
        refuse: Collection[str] = (),
        max_buffer_launches: int = 0,
    ) -> Iterator[None]:
        """Make the GPU fail within the context as Apple's do, in ways that TVM notices late.

        The launch of number `fail_launch`, counted from 1 since the last reset, fails, `failures` times in all. There
        is no pipeline for the kernels to `refuse`. A command buffer of more than `max_buffer_launches` is killed.
        After a failure, launches are skipped, and copies and waits raise, until `reset` or the end of the context.
        """
        _function("behave")(fail_launch, failures, max_buffer_launches, list(refuse))
        try:
            yield
        finally:
            _function("behave")(0, 0, 0, [])
            with suppress(RuntimeError):
                self.device().sync()
            self.reset()

    def reset(self) -> None:
        """Begin again after a failure, as `metal.ResetGlobalState` of TVM does."""
        import tvm_ffi

        tvm_ffi.get_global_func("metal.ResetGlobalState")()

    def fast(self) -> AbstractContextManager[None]:
        """Compile kernels first used inside as `Build.FAST`."""
        return self._compiling(Build.FAST)

    def fast_math(self) -> AbstractContextManager[None]:
        """Compile kernels first used inside as `Build.FAST_MATH`."""
        return self._compiling(Build.FAST_MATH)

    @contextmanager
    def _compiling(self, build: Build) -> Iterator[None]:
        before, self._loading.build = self._loading.build, build
        try:
            yield
        finally:
            self._loading.build = before


def _function(name: str) -> Any:
    import tvm_ffi

    return tvm_ffi.get_global_func(f"software_metal.{name}")


@functools.cache
def install() -> SoftwareMetal:
    """Register the device with TVM, for the rest of the process.

    Raises RuntimeError if TVM has its own Metal device, or clang is missing.
    """
    import tvm  # the library below finds TVM's own symbols loaded
    import tvm_ffi

    if tvm_ffi.get_global_func("device_api.metal", allow_missing=True) is not None:
        raise RuntimeError("this TVM has a real Metal device")
    loading = Loading()

    built = functools.cache(lambda texts, build: str(build_kernels(dict(texts), build)))

    def compile_kernels(texts: Mapping[str, str]) -> str:
        return built(tuple((str(name), str(text)) for name, text in texts.items()), loading.build)

    tvm_ffi.register_global_func("software_metal.compile_kernels", compile_kernels)
    ctypes.CDLL(str(build_library()), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    assert tvm.metal(0).exist
    return SoftwareMetal(loading)
