"""The commands that TVM's Metal runtime gives to the GPU: waiting for them, and beginning again after a failure.

TVM notices that the GPU has failed when it next waits, as it does after every copy of bytes. From then on it launches
nothing, and every wait and copy raises, until its state is reset. It also waits before it frees memory that pending
commands may use, in destructors, where an error ends the process: so nothing may be freed while the GPU may have failed
unnoticed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from engine.errors import Cure, GpuFailed

log = logging.getLogger(__name__)

WAIT_FUNCTION = "kokoro.wait_for_gpu"
"""The function that stages for Metal call between kernels, so that none of their command buffers gets long."""
_DEFAULT_STREAM = 0
_FAILURE = "InternalError"
"""TVM's kind of the errors that its own runtime meets. Those of a wrong call, argument or shape are of other kinds."""
_PREFIX = "GPUError: "

Result = TypeVar("Result")


class MetalStream:
    """TVM's stream of commands to one Metal device."""

    def __init__(self, ffi: Any, device: Any) -> None:
        self._device = device
        self._synchronise = ffi.get_global_func("runtime.Device_StreamSync")
        self._reset = ffi.get_global_func("metal.ResetGlobalState")
        ffi.register_global_func(WAIT_FUNCTION, self.wait, override=True)

    def wait(self) -> None:
        """Wait until the GPU has done all that it was given."""
        self._synchronise(self._device, _DEFAULT_STREAM)

    def computed(self, compute: Callable[[], Result]) -> Result:
        """What `compute` returns; if the GPU fails, `compute` is called once more.

        It must wait for the GPU when it is done, and keep until then what it uploaded. Raises `GpuFailed` when the GPU
        fails again, and any other error as it is.
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
                f"The GPU failed ({_words(error)}).", "Use --device cpu, or try again.", Cure.OTHER_DEVICE
            ) from error

    def _begin_again(self) -> None:
        """Reset TVM's state, with nothing pending: it would be told to a stream that no longer exists."""
        with suppress(RuntimeError):
            self.wait()
        self._reset()


def _is_failure(error: RuntimeError) -> bool:
    return getattr(getattr(error, "__tvm_ffi_error__", None), "kind", "") == _FAILURE


def _words(error: RuntimeError) -> str:
    first_line = (str(error).strip().splitlines() or [_FAILURE])[0]
    return first_line.removeprefix(_PREFIX).rstrip(".")
