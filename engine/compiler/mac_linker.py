"""Links arm64 Mach-O libraries: with the system's compiler on a Mac, with Zig's anywhere else.

It does not know what is in the objects. What TVM's runtime provides stays undefined until the library is loaded.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.compiler.zig import run_linker, zig_command
from engine.errors import CompileError
from engine.metal.bridge import bridge_arguments

_SYSTEM = "a Mac"
_LEAST_SYSTEM = "13.0"
_MAC_OPTIONS = ("-arch", "arm64", f"-mmacosx-version-min={_LEAST_SYSTEM}")
_ZIG_TARGET = f"aarch64-macos.{_LEAST_SYSTEM}"
_SHARED = ("-shared", "-undefined", "dynamic_lookup", "-O2", "-g0")
# Without a name of its own a library is given that of the file, which would differ with every temporary folder.
_STAGE_NAME = ("-install_name", "@rpath/stage.dylib")


class _MacLinker:
    """Called by TVM with the objects; `object_format` has it write objects for the target, not sources."""

    object_format = "o"

    def __call__(self, output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
        run_linker([*linker_command(), *_SHARED, *_STAGE_NAME, "-o", output, *objects, *options], _SYSTEM)


link_for_mac = _MacLinker()


def link_bridge(output: Path) -> None:
    """Build the library through which modules call Metal Performance Shaders; raises `CompileError`."""
    run_linker([*linker_command(), *_SHARED, *bridge_arguments(output, stubs=sys.platform != "darwin")], _SYSTEM)


def linker_command() -> list[str]:
    """The compiler that links for Macs, with its target; raises `CompileError` that says what to install."""
    if sys.platform == "darwin":
        clang = shutil.which("clang")
        if clang is None:
            raise CompileError("There is no C compiler to link with.", "Install one: “xcode-select --install”.")
        return [clang, *_MAC_OPTIONS]
    return zig_command(_ZIG_TARGET, "Macs")
