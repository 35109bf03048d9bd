"""Selects the CPU cores for computing threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engine.errors import InvalidRequest

TOPOLOGY = Path("/sys/devices/system/cpu")
"""The folder where Linux lists the logical CPUs that share a core."""


def check_threads(threads: int | None) -> None:
    """Raise `InvalidRequest` unless `threads` is in 1 to the number of `usable_cores`, or None for all of them."""
    if threads is None:
        return
    count = len(usable_cores())
    if not 1 <= threads <= count:
        choice = f"Choose 1 to {count}" if count > 1 else "Choose 1"
        raise InvalidRequest(f"{threads} threads aren’t available.", f"{choice}, or omit it to use all cores.")


def usable_cores() -> tuple[int, ...]:
    """Return the numbers of the logical CPUs to compute on: one per physical core that this process may use.

    On a Mac, there are as many as performance cores: work is split into equal parts, so the slowest core would
    determine the total time.
    """
    return _mac_cores() if sys.platform == "darwin" else _one_per_core(_allowed())


def _allowed() -> tuple[int, ...]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def _one_per_core(processors: tuple[int, ...]) -> tuple[int, ...]:
    first_of_core: dict[str, int] = {}
    for processor in processors:
        first_of_core.setdefault(_siblings(processor), processor)
    return tuple(first_of_core.values())


def _siblings(processor: int) -> str:
    """Return the logical CPUs that share a core with this one, as the system writes them, or this one if unknown."""
    path = TOPOLOGY / f"cpu{processor}" / "topology" / "thread_siblings_list"
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(processor)


def _mac_cores() -> tuple[int, ...]:
    command = ["/usr/sbin/sysctl", "-n", "hw.perflevel0.physicalcpu"]
    try:
        count = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    except (OSError, ValueError, subprocess.CalledProcessError):
        count = os.cpu_count() or 1
    return tuple(range(count))
