"""Writes the source of every kernel in the shipped Metal modules into a folder: python -m tests.metal_kernels FOLDER.

It reads the modules as files, so it needs neither a Mac nor modules that are current.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.artifacts.manifest import METAL_DEVICE, Manifest
from engine.system.paths import shipped_modules_folder
from tests.engine.compiler.embedded import metal_kernels, modules_in
from tests.engine.compiler.mach_o import MachO

MODULES = "___tvm_ffi__library_bin"
"""The symbol at which TVM puts the modules inside a library."""


def kernels_of(library: Path) -> dict[str, str]:
    """The sources of a library's kernels, by name."""
    return metal_kernels(modules_in(MachO(library).counted_bytes(MODULES))[METAL_DEVICE])


def shipped_libraries() -> Iterator[Path]:
    """The libraries of all stages for Macs with an Apple GPU."""
    for folder in sorted(shipped_modules_folder().glob("*-metal-macos*")):
        yield from (folder / artifact.file for artifact in Manifest.load(folder).artifacts)


def write_kernels(folder: Path) -> list[Path]:
    """Write each kernel once, however many modules have it, named after its function and its content."""
    folder.mkdir(parents=True, exist_ok=True)
    kernels = {kernel for library in shipped_libraries() for kernel in kernels_of(library).items()}
    written = []
    for name, text in sorted(kernels):
        path = folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.metal"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    sys.stdout.write(f"{len(write_kernels(Path(sys.argv[1])))} kernels are in {sys.argv[1]}\n")
