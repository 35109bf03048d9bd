"""Gives TVM a Metal device where there is none. Knows nothing of how kernels are run."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tests.software_metal.build import build_kernels, build_library


@dataclass
class Checks:
    """Whether kernels first used from now on have every access looked at."""

    every_access: bool = True


class SoftwareMetal:
    """The device, once it is installed: what it has done, and how strict it is."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks

    def device(self):
        """TVM's device, for tensors and the virtual machine."""
        import tvm

        return tvm.metal(0)

    def launches(self) -> int:
        """Kernels launched so far."""
        return self._ask("launches")

    def live_buffers(self) -> int:
        """Buffers allocated and not freed; those of garbage do not count."""
        gc.collect()
        return self._ask("live_buffers")

    @contextmanager
    def fast(self) -> Iterator[None]:
        """Kernels first used inside are compiled without a look at every access: several times as fast.

        Barriers, limits, uses after free and accesses past a buffer's page are still checked.
        """
        before, self._checks.every_access = self._checks.every_access, False
        try:
            yield
        finally:
            self._checks.every_access = before

    def _ask(self, name: str) -> int:
        import tvm_ffi

        return tvm_ffi.get_global_func(f"software_metal.{name}")()


@functools.cache
def install() -> SoftwareMetal:
    """Registers the device with TVM, for the rest of the process.

    Raises RuntimeError where TVM has a Metal device of its own, or clang is missing.
    """
    import tvm  # the library below finds TVM's own symbols loaded
    import tvm_ffi

    if tvm_ffi.get_global_func("device_api.metal", allow_missing=True) is not None:
        raise RuntimeError("this TVM has a real Metal device")
    checks = Checks()

    built = functools.cache(lambda texts, checked: str(build_kernels(dict(texts), checked)))

    def compile_kernels(texts: Mapping[str, str]) -> str:
        return built(tuple((str(name), str(text)) for name, text in texts.items()), checks.every_access)

    tvm_ffi.register_global_func("software_metal.compile_kernels", compile_kernels)
    ctypes.CDLL(str(build_library()), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    assert tvm.metal(0).exist
    return SoftwareMetal(checks)
