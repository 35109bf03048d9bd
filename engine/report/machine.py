"""Describes the machine for a report: system, CPU, memory, GPU, tools, packages, crashes, earlier trials."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.runtime.preparation.probes import probes_folder
from engine.system.bundle import is_bundle
from engine.system.cores import usable_cores
from engine.system.paths import project_folder
from engine.system.processor import chip, system_build

_TOOL_SECONDS = 60
_OF_A_MAC = (
    "hw.model", "hw.memsize", "hw.ncpu", "hw.perflevel0.physicalcpu", "hw.perflevel1.physicalcpu",
    "kern.osproductversion", "kern.hv_vmm_present", "sysctl.proc_translated",
)  # fmt: skip
"""Names for `sysctl`."""
_OF_A_GPU = ("sppci_model", "sppci_cores", "spdisplays_mtlgpufamilysupport")
_CPU_DESCRIPTION, _MODEL = Path("/proc/cpuinfo"), "model name"
_CRASHES = Path("Library/Logs/DiagnosticReports")
_CRASHED = ("python", "kokoro")
_CRASH_SUFFIXES = (".ips", ".crash")
_DAY_SECONDS = 86_400
_MAX_CRASHES, _MAX_BYTES_OF_A_CRASH = 10, 300_000


def system() -> Iterator[dict[str, Any]]:
    """Yield the system, the CPU, its memory and the GPU."""
    yield {
        "system": platform.platform(),
        "build": system_build(),
        "processor": platform.machine(),
        "chip": chip() if sys.platform == "darwin" else _model_on_linux(),
        "python": platform.python_version(),
        "bundle": is_bundle(),
        "usable_cores": len(usable_cores()),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load": os.getloadavg(),
    }
    if sys.platform == "darwin":
        for name in _OF_A_MAC:
            yield {"name": name, "value": _output_of(["/usr/sbin/sysctl", "-n", name])["said"]}
        yield from _gpus(str(_output_of(["/usr/sbin/system_profiler", "-json", "SPDisplaysDataType"])["said"]))


def _model_on_linux() -> str:
    try:
        lines = _CPU_DESCRIPTION.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(_MODEL)), "")


def _gpus(described: str) -> Iterator[dict[str, Any]]:
    """Yield a Mac's GPUs, without its screens, which have serial numbers."""
    try:
        gpus = json.loads(described)["SPDisplaysDataType"]
    except (ValueError, KeyError, TypeError):
        gpus = []
    yield from ({name: gpu.get(name) for name in _OF_A_GPU} for gpu in gpus)


def tools() -> Iterator[dict[str, Any]]:
    """Yield the compilers and linkers; a missing tool is not a problem."""
    yield _output_of([sys.executable, "-VV"])
    if shutil.which("git"):
        yield _output_of(["git", "-C", str(project_folder()), "log", "-1", "--format=%H %cI"])
    if sys.platform == "darwin":
        developer = _output_of(["/usr/bin/xcode-select", "-p"])
        yield developer
        if developer["code"]:  # without them, calling any of the others opens a dialog
            return
        yield _output_of(["/usr/bin/xcodebuild", "-version"])
        yield _output_of(["/usr/bin/xcrun", "-sdk", "macosx", "-f", "metal"])
    for name in ("clang", "gcc", "ld"):
        if shutil.which(name):
            yield _output_of([name, "--version" if name != "ld" else "-v"])


def packages() -> Iterator[dict[str, Any]]:
    """Yield every Python package and its version."""
    found = {(one.metadata["Name"] or "", one.version) for one in importlib.metadata.distributions()}
    yield from ({"package": name, "version": version} for name, version in sorted(found))


def crashes(folder: str) -> Iterator[dict[str, Any]]:
    """Copy the crash reports about Python and this program since yesterday into a folder, and yield each."""
    since = time.time() - _DAY_SECONDS
    reports = [
        path
        for path in (Path.home() / _CRASHES).glob("*")
        if path.name.lower().startswith(_CRASHED) and path.suffix in _CRASH_SUFFIXES and path.stat().st_mtime > since
    ]
    newest = sorted(reports, key=lambda path: path.stat().st_mtime, reverse=True)[:_MAX_CRASHES]
    for number, path in enumerate(newest, 1):
        content = path.read_bytes()
        copy = Path(folder, f"crash-{number}{path.suffix}")  # the name of the report may be of the machine
        copy.write_bytes(content[:_MAX_BYTES_OF_A_CRASH].decode("utf-8", "ignore").encode())
        yield {"file": copy.name, "hours_ago": (time.time() - path.stat().st_mtime) / 3600, "bytes": len(content)}


def remembered() -> Iterator[dict[str, Any]]:
    """Yield the results of earlier trials on this machine."""
    for path in sorted(probes_folder().glob("*.json")):
        yield {"file": path.name, "content": path.read_text(encoding="utf-8", errors="replace")}


def _output_of(command: Sequence[str]) -> dict[str, Any]:
    """Run a tool; return its output and exit code, None if it cannot be run."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_TOOL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"command": list(command), "code": None, "said": str(error)}
    return {"command": list(command), "code": done.returncode, "said": (done.stdout or done.stderr).strip()}
