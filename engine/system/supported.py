"""The supported machines and Python versions, checked before installation.

The Makefile runs this file with any available Python, so it is compatible with Python 3.8 and imports nothing from the
program.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from typing import NamedTuple

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 12)
OLDEST_MACOS = 14
"""The oldest version that torch and numpy support."""
_MACHINES = {"Linux": ("x86_64", "aarch64"), "Darwin": ("arm64",)}


class Machine(NamedTuple):
    """A machine as Python describes it: system, CPU architecture, versions of Python and macOS.

    `translated` is true if Rosetta translates the program, as macOS does for Intel programs.
    """

    system: str
    processor: str
    python: tuple[int, int]
    macos: str = ""
    translated: bool = False


def unsupported_reason(machine: Machine) -> str:
    """Return why the program can't be installed here and what to do, as one sentence; empty if it can."""
    if machine.translated:
        return (
            "This Python runs under Rosetta, as programs for Intel CPUs do: install Python 3.12 for Apple silicon "
            "from python.org, and try again in a Terminal that doesn’t run under Rosetta."
        )
    if machine.system == "Darwin" and machine.processor != "arm64":
        return "Kokoro Desk needs a Mac with Apple silicon (M1 or later); this one has an Intel CPU."
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
    """Return the current machine and Python version."""
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
    sys.exit(unsupported_reason(this_machine()) or 0)
