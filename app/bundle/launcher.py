"""The program of a bundle: `kokoro-desk` or, after --module NAME, the equivalent of `python -m NAME`."""

from __future__ import annotations

import ctypes.util
import os
import runpy
import sys
from collections.abc import MutableMapping, Sequence

from engine.system.bundle import MODULE_OPTION, added_packages_folder, is_bundle
from engine.system.paths import project_folder

LIBRARY_PATH = "LD_LIBRARY_PATH"
_BEFORE = f"{LIBRARY_PATH}_ORIG"


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code, unless a module ends the process itself."""
    restore_library_path(os.environ)
    if is_bundle():
        find_own_libraries()
    sys.path.append(str(added_packages_folder()))
    if arguments[:1] == [MODULE_OPTION]:
        _run_module(arguments[1:])
        return 0
    from app.__main__ import kokoro_desk

    return kokoro_desk(arguments)


def _run_module(arguments: Sequence[str]) -> None:
    if not arguments:
        sys.exit(f"{MODULE_OPTION} needs the name of a module, such as engine.")
    sys.argv = list(arguments)
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def restore_library_path(environment: MutableMapping[str, str]) -> None:
    """Restore the library path, which the bundle changed to load its own libraries.

    Other programs started by the app, such as a file manager, must not load the bundle's libraries.
    """
    if (before := environment.pop(_BEFORE, None)) is not None:
        environment[LIBRARY_PATH] = before
    elif is_bundle():
        environment.pop(LIBRARY_PATH, None)


def find_own_libraries() -> None:
    """Make `find_library` search the bundle first: it uses system tools, which ignore the bundle.

    The package sounddevice finds PortAudio with it.
    """
    find_in_system = ctypes.util.find_library

    def find_library(name: str) -> str | None:
        own = next(project_folder().glob(f"lib{name}.so*"), None)
        return find_in_system(name) if own is None else str(own)

    ctypes.util.find_library = find_library


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
