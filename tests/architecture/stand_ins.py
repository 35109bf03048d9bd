"""A folder with the project's Makefile, with stand-ins for the programs it starts that record their calls.

Only the tools that every Mac has are real, and `make` treats recipes as version 3.81 does, a Mac's own: it ignores
`.SHELLFLAGS`, so that a recipe continues after a failed command unless it says otherwise.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL = ("bash", "sh", "make", "find", "xargs", "mkdir", "rm", "touch", "uname", "id")
IN_VENV = ("python", "pip", "pytest", "ruff", "mypy", "lint-imports", "check-jsonschema", "zizmor")
ONLY_ON_A_MAC = {"codesign": "Apple's tool for signatures", "xcrun": "Apple's compiler of Metal kernels"}
STAND_IN = """#!/bin/sh
call="${0##*/} $*"
echo "$call" >>"$CALLS"
echo "$call" >&2
if [ "$2" = tests.metal_kernels ]; then
    mkdir -p "$3"
    echo kernel >"$3/one.metal"
    echo kernel >"$3/two.metal"
fi
[ "$call" != "$FAILING" ]
"""
AS_3_81 = " -- .SHELLFLAGS=-c"


@dataclass(frozen=True)
class Outcome:
    """The result of a command: its exit code, its calls of stand-ins, and all output."""

    code: int
    calls: list[str]
    words: str


class Scratch:
    """The folder; `ready` means that the Python packages are installed."""

    def __init__(self, folder: Path, ready: bool = True) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self._calls = folder / "calls"
        self._programs = folder / "programs"
        for name in ("Makefile", "pyproject.toml", "compiled_models", "engine"):
            (folder / name).symlink_to(ROOT / name)
        for place, names in ((folder / ".venv" / "bin", IN_VENV), (self._programs, ONLY_ON_A_MAC)):
            place.mkdir(parents=True)
            for name in names:
                (place / name).write_text(STAND_IN, encoding="utf-8")
                (place / name).chmod(0o755)
        for name in REAL:
            (self._programs / name).symlink_to(shutil.which(name) or name)
        for name in ("ready-to-run", "ready-to-test") if ready else ():
            (folder / ".venv" / name).touch()

    def add_program(self, name: str, script: str) -> Path:
        """Add a program that runs a shell script, replacing any program of this name."""
        path = self._programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def run(self, command: str, failing: str = "", **environment: str) -> Outcome:
        """Run a step as GitHub does; the stand-in with the call `failing` fails."""
        self._calls.write_text("", encoding="utf-8")
        given = {"PATH": str(self._programs), "CALLS": str(self._calls), "FAILING": failing, "MAKEFLAGS": AS_3_81}
        shell = [str(self._programs / "bash"), "-e", "-c", command]
        done = subprocess.run(
            shell, cwd=self.folder, env={**given, **environment}, capture_output=True, text=True, check=False
        )
        calls = self._calls.read_text(encoding="utf-8").splitlines()
        return Outcome(done.returncode, calls, done.stdout + done.stderr)


def programs_of(calls: list[str]) -> set[str]:
    """Return the names of the programs that were called."""
    return {call.partition(" ")[0] for call in calls}


def silent(command: str, folder: Path, **environment: str) -> list[str]:
    """Return the calls of a command whose failure is ignored: the command succeeds nevertheless.

    Each run is in a new folder below `folder`.
    """
    whole = Scratch(folder / "whole").run(command, **environment)
    assert whole.code == 0, whole.words
    return [
        call
        for place, call in enumerate(sorted(set(whole.calls)))
        if Scratch(folder / str(place)).run(command, failing=call, **environment).code == 0
    ]
