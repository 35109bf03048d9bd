"""Identifies this machine's processor, so that code built for one is not run on another."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

DESCRIPTION = Path("/proc/cpuinfo")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
"""Where Linux describes the processors and the caches of the first one."""
_FEATURE_FIELDS = ("flags", "Features")
_FIELDS = ("vendor_id", "cpu family", "model", *_FEATURE_FIELDS, "CPU implementer", "CPU part")


@cache
def host_processor() -> str:
    """This machine's system, architecture and a hash of its processor's model, features and second-level cache."""
    described = f"{platform.system().lower()}-{platform.machine()}"
    details = f"{_model_and_features()} {second_level_cache_bytes()}"
    return f"{described}-{hashlib.sha256(details.encode()).hexdigest()[:12]}"


@cache
def chip() -> str:
    """What this machine's processor is called, such as Apple M2 on a Mac."""
    return _name_on_mac() if sys.platform == "darwin" else host_processor()


@cache
def system_build() -> str:
    """This build of the operating system, such as 23F79 on a Mac; every update has another."""
    return (_system_value("kern.osversion") if sys.platform == "darwin" else "") or platform.platform()


def processor_features() -> frozenset[str]:
    """The features of this machine's processor in Linux's words, such as avx512_bf16; none where it does not say."""
    first = _first_processor() or {}
    return frozenset(word for name in _FEATURE_FIELDS for word in first.get(name, "").split())


def second_level_cache_bytes() -> int | None:
    """The size of one core's second-level cache; None if the system does not say, as on a Mac."""
    for entry in sorted(CACHES.glob("index*")):
        try:
            level, size = ((entry / name).read_text(encoding="ascii").strip() for name in ("level", "size"))
        except OSError:
            continue
        if level == "2" and size.endswith("K"):
            return int(size.removesuffix("K")) * 1024
    return None


def _model_and_features() -> str:
    """Of the first processor, features in alphabetical order; on a Mac, its name."""
    if sys.platform == "darwin":
        return _name_on_mac()
    first = _first_processor()
    return repr(sorted(first.items())) if first is not None else platform.processor()


def _name_on_mac() -> str:
    return _system_value("machdep.cpu.brand_string") or platform.processor()


def _system_value(name: str) -> str:
    """What a Mac says of itself under this name; empty if it does not say."""
    command = ["/usr/sbin/sysctl", "-n", name]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _first_processor() -> dict[str, str] | None:
    """What describes the first processor, words in alphabetical order; None if the system does not say."""
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
