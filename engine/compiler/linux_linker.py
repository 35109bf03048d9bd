"""Links aarch64 ELF libraries with Zig, on any system.

It does not know what is in the objects. What TVM's runtime provides stays undefined until the library is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.compiler.zig import run_linker, zig_command

_SYSTEM = "Linux on ARM"
_TARGET = "aarch64-linux-gnu"
_SHARED = ("-shared", "-fPIC", "-O2", "-g0")


class _LinuxLinker:
    """Called by TVM with the objects; `object_format` has it write objects for the target, not sources."""

    object_format = "o"

    def __call__(self, output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
        run_linker([*zig_command(_TARGET, _SYSTEM), *_SHARED, "-o", output, *objects, *options], _SYSTEM)


link_for_arm_linux = _LinuxLinker()
