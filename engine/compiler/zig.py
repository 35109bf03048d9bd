"""Zig's C compiler, which links libraries for systems other than this one.

It does not know what is in the objects, nor what they are linked with.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from engine.errors import CompileError, Cure
from engine.paths import cache_folder


def zig_command(target: str, system: str) -> list[str]:
    """The compiler for a target as Zig spells it; raises `CompileError` that says what to install.

    `system` is the target in words.
    """
    if find_spec("ziglang") is None:
        raise CompileError(
            f"Zig, which links for {system}, is not installed.", "Run “make setup-test”.", Cure.INSTALL_AGAIN
        )
    return [sys.executable, "-m", "ziglang", "cc", "-target", target]


def run_linker(command: Sequence[str], system: str) -> None:
    """Run a linker; raises `CompileError` with what it says when it fails."""
    # Zig keeps what it builds for itself, such as its own libraries for other systems.
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        raise CompileError(
            f"Linking for {system} failed: {said.strip()}", "Run “python -m engine doctor”.", Cure.EXAMINE
        ) from error
