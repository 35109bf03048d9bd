"""Builds modules for this very machine in the background, while the window speaks with shipped ones."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from filelock import FileLock, Timeout

from engine.artifacts.comparison import forget_failure, save_failure
from engine.artifacts.manifest import CPU, CPU_DEVICE
from engine.errors import CompileError, EngineError
from engine.model_store.checkpoints import model_config
from engine.preparation.devices import choose_device
from engine.preparation.module_choice import ModuleSets, module_sets
from engine.system.bundle import has_compiler

_LOWEST_PRIORITY = 19
_SET_SIGNAL_OF_PARENTS_DEATH = 1
"""Linux's number of this option of a process."""


def worth_building(model: str, device: str) -> ModuleSets | None:
    """The modules of a model if some built here might be faster than the shipped ones, which speak on this device.

    None if other ones speak, if it is known which are faster, or if nothing can be built here.
    """
    if not has_compiler():
        return None
    config = model_config(model)
    if choose_device(device, config).device != CPU_DEVICE:
        return None
    sets = module_sets(config, CPU)
    return sets if sets.shipped.manifest is not None and sets.comparison is None else None


def build_quietly(folder: Path, build: Callable[[], object]) -> None:
    """Build modules into `folder`, unless another process does; a failure is kept for `engine doctor`.

    Raises `EngineError`.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock"), blocking=False):
            build()
        forget_failure(folder)
    except Timeout:
        return
    except OSError as error:
        problem = CompileError(
            f"Modules cannot be written to {folder.parent} ({error.strerror}).", "Free some space there."
        )
        save_failure(folder, str(problem))
        raise problem from error
    except EngineError as error:
        save_failure(folder, str(error))
        raise


def give_way() -> None:
    """Take only what other processes leave of the processor, from now on, in every thread and child process."""
    os.nice(_LOWEST_PRIORITY)
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def end_with_parent() -> None:
    """End this process, with everything that is half done removed, once its standard input is closed.

    On Linux it ends with its parent even while it is halted.
    """
    signal.signal(signal.SIGTERM, _end)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    while os.read(sys.stdin.fileno(), 1):  # Python aborts if it ends while a thread reads from the stream itself
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
