"""The ways in which a trial ends, for child processes that import little."""

from __future__ import annotations

import ctypes
import os
import sys
import time

from engine.runtime.preparation.probes import TrialRequest
from engine.system.child_process import abort_quietly


def hangs(request: TrialRequest) -> dict[str, float]:
    """Never end."""
    time.sleep(600)
    raise AssertionError("it was not ended")


def crashes(request: TrialRequest) -> dict[str, float]:
    """End by a library's abort."""
    os.abort()


def crashes_quietly(request: TrialRequest) -> dict[str, float]:
    """End by a library's abort that is not reported to the system."""
    abort_quietly()
    sys.stderr.write("JIT not supported\n")
    sys.stderr.flush()
    ctypes.CDLL(None).abort()
    raise AssertionError("it was not ended")


def leaves(request: TrialRequest) -> dict[str, float]:
    """End without a message."""
    os._exit(3)


def fails(request: TrialRequest) -> dict[str, float]:
    """Raise an unexpected error."""
    raise SystemError("the reason")


def works(request: TrialRequest) -> dict[str, float]:
    """Report half a second."""
    return {"a": 0.5}
