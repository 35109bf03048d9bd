"""The command stream of TVM's Metal runtime: waiting for the GPU, and recovery after a failure.

TVM detects a GPU failure when it next waits, as it does after every copy of bytes. From then on it launches nothing,
and every wait and copy raises, until its state is reset. It also waits before freeing memory that pending commands may
use, in destructors, where an error ends the process: so memory must not be freed while an undetected failure is
possible.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from engine.compiler.artifacts.runtime_functions import WAIT_FUNCTION
from engine.errors import GpuFailed, RecoveryAction

log = logging.getLogger(__name__)

_DEFAULT_STREAM = 0
_FAILURE = "InternalError"
"""TVM's kind of errors from its own runtime; wrong calls, arguments or shapes have other kinds."""
_PREFIX = "GPUError: "

Result = TypeVar("Result")


class MetalStream:
    """TVM's command stream to one Metal device."""

    def __init__(self, ffi: Any, device: Any) -> None:
        self._device = device
        self._synchronize = ffi.get_global_func("runtime.Device_StreamSync")
        self._reset = ffi.get_global_func("metal.ResetGlobalState")
        ffi.register_global_func(WAIT_FUNCTION, self.wait, override=True)

    def wait(self) -> None:
        """Wait until the GPU has completed all its work."""
        self._synchronize(self._device, _DEFAULT_STREAM)

    def computed(self, compute: Callable[[], Result]) -> Result:
        """Return the result of `compute`; if the GPU fails, call `compute` a second time.

        It must wait for the GPU at its end, and retain its uploads until then. Raises `GpuFailed` if the GPU fails
        again, and any other error unchanged.
        """
        try:
            return self._attempt(compute)
        except GpuFailed as failure:
            log.warning("%s Trying again.", failure.message)
        return self._attempt(compute)

    def _attempt(self, compute: Callable[[], Result]) -> Result:
        try:
            return compute()
        except RuntimeError as error:
            if not _is_failure(error):
                raise
            self._begin_again()
            raise GpuFailed(
                f"The GPU failed ({_reason(error)}).", "Use --device cpu, or try again.", RecoveryAction.OTHER_DEVICE
            ) from error

    def _begin_again(self) -> None:
        """Reset TVM's state, with nothing pending: pending work would refer to a stream that no longer exists."""
        with suppress(RuntimeError):
            self.wait()
        self._reset()


def _is_failure(error: RuntimeError) -> bool:
    return getattr(getattr(error, "__tvm_ffi_error__", None), "kind", "") == _FAILURE


def _reason(error: RuntimeError) -> str:
    first_line = (str(error).strip().splitlines() or [_FAILURE])[0]
    return first_line.removeprefix(_PREFIX).rstrip(".")
