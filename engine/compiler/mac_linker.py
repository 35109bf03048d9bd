"""Links arm64 Mach-O libraries: with the system's compiler on a Mac, with Zig's anywhere else.

It does not know what is in the objects. What TVM's runtime provides stays undefined until the library is loaded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from engine.errors import CompileError
from engine.paths import cache_folder

_LEAST_SYSTEM = "13.0"
_MAC_OPTIONS = ("-arch", "arm64", f"-mmacosx-version-min={_LEAST_SYSTEM}")
_ZIG_OPTIONS = ("-target", f"aarch64-macos.{_LEAST_SYSTEM}")
# Without a name of its own a library is given that of the file, which differs with every temporary folder.
_SHARED = ("-shared", "-undefined", "dynamic_lookup", "-O2", "-g0", "-install_name", "@rpath/stage.dylib")


class _MacLinker:
    """Called by TVM with the objects; `object_format` has it write objects for the target, not sources."""

    object_format = "o"

    def __call__(self, output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
        _run([*linker_command(), *_SHARED, "-o", output, *objects, *options])


link_for_mac = _MacLinker()


def linker_command() -> list[str]:
    """The compiler that links for Macs, with its target; raises `CompileError` that says what to install."""
    if sys.platform == "darwin":
        clang = shutil.which("clang")
        if clang is None:
            raise CompileError("There is no C compiler to link with.", "Install one: “xcode-select --install”.")
        return [clang, *_MAC_OPTIONS]
    if find_spec("ziglang") is None:
        raise CompileError("Zig, which links for Macs, is not installed.", "Run “make setup-test”.")
    return [sys.executable, "-m", "ziglang", "cc", *_ZIG_OPTIONS]


def _run(command: Sequence[str]) -> None:
    # Zig keeps what it builds for itself, such as its own libraries for Macs.
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        raise CompileError(f"Linking for a Mac failed: {said.strip()}", "Run “python -m engine doctor”.") from error
