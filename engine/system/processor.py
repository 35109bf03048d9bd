"""Identifies this machine's CPU, so that code built for a different one is not run."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

DESCRIPTION = Path("/proc/cpuinfo")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
"""The folder where Linux describes the caches of the first CPU; `DESCRIPTION` describes all CPUs."""
_FEATURE_FIELDS = ("flags", "Features")
_FIELDS = ("vendor_id", "cpu family", "model", *_FEATURE_FIELDS, "CPU implementer", "CPU part")


@cache
def host_processor() -> str:
    """Return this machine's system, architecture and a hash of its CPU's model, features and L2 cache size."""
    described = f"{platform.system().lower()}-{platform.machine()}"
    details = f"{_model_and_features()} {second_level_cache_bytes()}"
    return f"{described}-{hashlib.sha256(details.encode()).hexdigest()[:12]}"


@cache
def chip() -> str:
    """Return the name of this machine's CPU, such as Apple M2 on a Mac."""
    return _name_on_mac() if sys.platform == "darwin" else host_processor()


@cache
def system_build() -> str:
    """Return the build of the operating system, such as 23F79 on a Mac; every update changes it."""
    return (_system_value("kern.osversion") if sys.platform == "darwin" else "") or platform.platform()


def processor_features() -> frozenset[str]:
    """Return the CPU's features under Linux's names, such as avx512_bf16; empty if unknown."""
    first = _first_processor() or {}
    return frozenset(word for name in _FEATURE_FIELDS for word in first.get(name, "").split())


def second_level_cache_bytes() -> int | None:
    """Return the size of one core's L2 cache [bytes], or None if unknown, as on a Mac."""
    for entry in sorted(CACHES.glob("index*")):
        try:
            level, size = ((entry / name).read_text(encoding="ascii").strip() for name in ("level", "size"))
        except OSError:
            continue
        if level == "2" and size.endswith("K"):
            return int(size.removesuffix("K")) * 1024
    return None


def _model_and_features() -> str:
    """Return the first CPU's description, with its features in alphabetical order; on a Mac, its name."""
    if sys.platform == "darwin":
        return _name_on_mac()
    first = _first_processor()
    return repr(sorted(first.items())) if first is not None else platform.processor()


def _name_on_mac() -> str:
    return _system_value("machdep.cpu.brand_string") or platform.processor()


def _system_value(name: str) -> str:
    """Return a Mac's system value of this name, or an empty string if it is unavailable."""
    command = ["/usr/sbin/sysctl", "-n", name]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _first_processor() -> dict[str, str] | None:
    """Return the first CPU's description, with words in alphabetical order, or None if unavailable."""
    try:
        lines = DESCRIPTION.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    first: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in _FIELDS:
            first.setdefault(name.strip(), " ".join(sorted(value.split())))
    return first
