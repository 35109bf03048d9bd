"""Which machines and Pythons the program runs on: asked before anything is installed.

The Makefile runs this file with whatever Python there is, so it keeps to what Python 3.8 understands, and imports
nothing of the program.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from typing import NamedTuple

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 12)
OLDEST_MACOS = 14
"""The oldest that torch and numpy are built for."""
_MACHINES = {"Linux": ("x86_64", "aarch64"), "Darwin": ("arm64",)}


class Machine(NamedTuple):
    """A machine as Python describes it: system, processor, versions of Python and macOS.

    `translated` says that Rosetta translates the program, which macOS does for programs for Intel's processors.
    """

    system: str
    processor: str
    python: tuple[int, int]
    macos: str = ""
    translated: bool = False


def obstacle(machine: Machine) -> str:
    """Why the program cannot be installed here, and what to do, as one sentence; empty if it can."""
    if machine.translated:
        return (
            "This Python runs under Rosetta, as programs for Intel's processors do: install Python 3.12 for Apple "
            "silicon from python.org, and try again in a Terminal that does not run under Rosetta."
        )
    if machine.system == "Darwin" and machine.processor != "arm64":
        return "Kokoro Desk needs a Mac with Apple silicon (M1 or later); this one has an Intel processor."
    if machine.macos and int(machine.macos.partition(".")[0]) < OLDEST_MACOS:
        return (
            f"macOS {OLDEST_MACOS} or later is needed, and this is macOS {machine.macos}: update it in System Settings "
            "> General > Software Update."
        )
    if machine.processor not in _MACHINES.get(machine.system, ()):
        return (
            f"Kokoro Desk runs on Macs with Apple silicon and on Linux on x86_64 or aarch64, not on "
            f"{machine.system} on {machine.processor}."
        )
    if not OLDEST_PYTHON <= machine.python <= NEWEST_PYTHON:
        found = ".".join(map(str, machine.python))
        return (
            f"Python 3.11 or 3.12 is needed, and this is Python {found}: install one of them and name it with: "
            "make PYTHON=/path/to/python3.12"
        )
    return ""


def this_machine() -> Machine:
    """The machine and the Python that run this."""
    return Machine(
        platform.system(),
        platform.machine(),
        (sys.version_info[0], sys.version_info[1]),
        platform.mac_ver()[0],
        _is_translated(),
    )


def _is_translated() -> bool:
    if platform.system() != "Darwin":
        return False
    asked = subprocess.run(
        ["/usr/sbin/sysctl", "-n", "sysctl.proc_translated"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() == "1"


if __name__ == "__main__":
    sys.exit(obstacle(this_machine()) or 0)
