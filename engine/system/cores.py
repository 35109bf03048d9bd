"""Which processor cores computing threads should use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engine.errors import InvalidRequest

TOPOLOGY = Path("/sys/devices/system/cpu")
"""Where Linux says which processors share a core."""


def check_threads(threads: int | None) -> None:
    """Raise `InvalidRequest` for more threads than `usable_cores` gives, or fewer than 1; None means all of them."""
    if threads is None:
        return
    count = len(usable_cores())
    if not 1 <= threads <= count:
        choice = f"Choose 1 to {count}" if count > 1 else "Choose 1"
        raise InvalidRequest(f"{threads} threads aren’t available.", f"{choice}, or omit it to use all cores.")


def usable_cores() -> tuple[int, ...]:
    """Numbers of the processors to compute on: one per physical core that this process may use.

    On a Mac only as many as there are performance cores: work is split into equal parts, so the slowest core would
    decide when it is all done.
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
    """The processors that share a core with this one, as the system writes them; only this one if it does not say."""
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
