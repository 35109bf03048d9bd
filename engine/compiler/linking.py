"""Links libraries for this machine, for Macs, and for families of CPUs on Linux.

Zig's compiler links those for Linux, which then need an old C library only, and on other systems those for Macs.
Symbols of TVM's runtime stay undefined until the library is loaded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from engine.compiler.artifacts.manifest import MIN_MAC_SYSTEM, Variant, is_for_mac
from engine.compiler.artifacts.processor_families import FAMILIES
from engine.compiler.mac_library import put_right
from engine.compiler.mps_bridge.bridge import bridge_arguments
from engine.errors import CompileError, RecoveryAction
from engine.system.child_process import python_command
from engine.system.paths import cache_folder

LINKERS = ("cc", "gcc", "clang")
"""The C compilers that link for this machine, the preferred one first."""


def linker_for(variant: Variant) -> Callable[..., None]:
    """The function that TVM calls to link a variant's library, with the output, the objects and options."""
    if is_for_mac(variant):
        return link_for_mac
    return LinuxLinker(FAMILIES[variant.family].triple) if variant.family else _link_shared


def find_linker() -> str:
    """The system's C compiler, used to link; raises `CompileError` that names the package to install."""
    for name in LINKERS:
        found = shutil.which(name)
        if found:
            return found
    raise CompileError(
        "There is no C compiler to link the speech modules with.",
        "Install one: “apt-get install gcc” on Debian or Ubuntu, “xcode-select --install” on a Mac.",
    )


def _link_shared(output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
    command = [find_linker(), "-shared", "-fPIC", "-o", output, *objects, *options]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise CompileError(
            f"Linking failed: {error.stderr.strip()}", "Run “python -m engine doctor”.", RecoveryAction.EXAMINE
        ) from error


def zig_command(target: str, system: str) -> list[str]:
    """The command of Zig's C compiler for a target in Zig's spelling; `system` names the target in messages.

    Raises a `CompileError` that says what to install.
    """
    if find_spec("ziglang") is None:
        raise CompileError(
            f"Zig, which links for {system}, isn’t installed.", "Run “make setup-test”.", RecoveryAction.INSTALL_AGAIN
        )
    return [*python_command("ziglang", "cc", "-target", target)]


def run_linker(command: Sequence[str], system: str) -> None:
    """Run a linker; raises `CompileError` with the linker's message if it fails."""
    # Zig caches what it builds for its own use, such as its libraries for other systems.
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    except (OSError, subprocess.CalledProcessError) as error:
        message = getattr(error, "stderr", None) or str(error)
        raise CompileError(
            f"Linking for {system} failed: {message.strip()}", "Run “python -m engine doctor”.", RecoveryAction.EXAMINE
        ) from error


_LINUX = "Linux"
_C_LIBRARY = "2.17"
"""The oldest version that libraries for Linux run with, of 2012; TVM's own libraries need a newer one."""
_LINUX_SHARED = ("-shared", "-fPIC", "-O2", "-g0")


@dataclass(frozen=True)
class LinuxLinker:
    """Called by TVM with the objects; `object_format` has it write objects for the target, not sources."""

    triple: str
    object_format = "o"

    def __call__(self, output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
        """Link; raises `CompileError`."""
        command = zig_command(f"{self.triple}.{_C_LIBRARY}", _LINUX)
        run_linker([*command, *_LINUX_SHARED, "-o", output, *objects, *options], _LINUX)


_MAC = "a Mac"
_MAC_OPTIONS = ("-arch", "arm64", f"-mmacosx-version-min={MIN_MAC_SYSTEM}")
_MAC_TARGET = f"aarch64-macos.{MIN_MAC_SYSTEM}"
_MAC_SHARED = ("-shared", "-undefined", "dynamic_lookup", "-O2", "-g0")
# By default a library is named after its file, which would differ with every temporary folder.
_STAGE_NAME = ("-install_name", "@rpath/stage.dylib")


class _MacLinker:
    """Called by TVM with the objects; `object_format` has it write objects for the target, not sources."""

    object_format = "o"

    def __call__(self, output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
        _link_for_mac(Path(output), [*_STAGE_NAME, "-o", output, *objects, *options])


link_for_mac = _MacLinker()


def link_bridge(output: Path) -> None:
    """Build the library through which modules call Metal Performance Shaders; raises `CompileError`."""
    _link_for_mac(output, bridge_arguments(output, stubs=sys.platform != "darwin"))


def _link_for_mac(output: Path, arguments: Sequence[str]) -> None:
    run_linker([*linker_command(), *_MAC_SHARED, *arguments], _MAC)
    if sys.platform != "darwin":  # Zig linked it; Apple's own linker leaves nothing to put right
        major, minor = map(int, MIN_MAC_SYSTEM.split("."))
        output.write_bytes(put_right(output.read_bytes(), (major, minor)))


def linker_command() -> list[str]:
    """The command that links for Macs, with its target; raises a `CompileError` that says what to install."""
    if sys.platform == "darwin":
        clang = shutil.which("clang")
        if clang is None:
            raise CompileError("There is no C compiler to link with.", "Install one: “xcode-select --install”.")
        return [clang, *_MAC_OPTIONS]
    return zig_command(_MAC_TARGET, "Macs")
