"""What this machine's processor is, so that code made for one is not run on another.

It does not know what is made for it.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

_DESCRIPTION = Path("/proc/cpuinfo")
_FIELDS = ("vendor_id", "cpu family", "model", "flags", "Features", "CPU implementer", "CPU part")


@cache
def host_processor() -> str:
    """This machine's system, architecture and a hash of its processor's model and features."""
    described = f"{platform.system().lower()}-{platform.machine()}"
    return f"{described}-{hashlib.sha256(_described().encode()).hexdigest()[:12]}"


def _described() -> str:
    return _on_mac() if sys.platform == "darwin" else _on_linux(_DESCRIPTION)


def _on_mac() -> str:
    command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return platform.processor()


def _on_linux(path: Path) -> str:
    """Model and features of the first processor, features in alphabetical order."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    first: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in _FIELDS:
            first.setdefault(name.strip(), " ".join(sorted(value.split())))
    return repr(sorted(first.items()))
