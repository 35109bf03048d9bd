"""Every shipped library for this system: whether macOS trusts it, and what the system's loader says."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.artifacts.processor_families import families_here
from engine.errors import EngineError
from engine.runners.tvm_runtime import Runtime
from engine.system.mac import is_quarantined, release_command
from engine.system.paths import project_folder, shipped_modules_folder

_CODESIGN = "/usr/bin/codesign"


def libraries_here() -> list[Path]:
    """Those shipped for this system; raises `EngineError` if there are none."""
    if sys.platform == "darwin":
        found = sorted(shipped_modules_folder().glob("*/*.dylib"))
    else:
        fitting = [family.name for family, obstacle in families_here().items() if not obstacle]
        if not fitting:
            raise EngineError("No libraries are shipped for this processor.", "“python -m engine doctor” says why.")
        found = sorted(path for name in fitting for path in shipped_modules_folder().glob(f"*-cpu-{name}/*.so"))
    if not found:
        raise EngineError("The shipped libraries are not there.", "Fetch the program again.")
    return found


def quarantine() -> Iterator[dict[str, Any]]:
    """Whether macOS quarantines each library."""
    for path in libraries_here():
        problem = f"it is quarantined; run: {release_command(project_folder())}" if is_quarantined(path) else ""
        yield {"library": _name(path), "problem": problem}


def signatures() -> Iterator[dict[str, Any]]:
    """What macOS says of each library's signature."""
    for path in libraries_here():
        command = [_CODESIGN, "--verify", "--strict", "--verbose=2", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        yield {"library": _name(path), "problem": (done.stderr or "refused").strip() if done.returncode else ""}


def loaded() -> Iterator[dict[str, Any]]:
    """What the system's loader says of each library, with all symbols found at once."""
    Runtime("cpu")
    for path in libraries_here():
        started = time.perf_counter()
        problem = ""
        try:
            ctypes.CDLL(str(path), os.RTLD_NOW)
        except OSError as error:
            problem = str(error)
        milliseconds = 1e3 * (time.perf_counter() - started)
        yield {"library": _name(path), "milliseconds": milliseconds, "problem": problem}


def _name(path: Path) -> str:
    return path.relative_to(shipped_modules_folder()).as_posix()
