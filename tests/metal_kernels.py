"""Writes the source of every kernel in the shipped Metal modules into a folder: python -m tests.metal_kernels FOLDER.

It reads the modules as files, so it needs neither a Mac nor up-to-date modules.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from engine.compiler.artifacts.embedded_modules import metal_kernels, metal_libraries, metal_module
from engine.system.paths import shipped_modules_folder


def write_kernels(folder: Path) -> list[Path]:
    """Write each kernel once, even if several modules have it, named after its function and its content."""
    folder.mkdir(parents=True, exist_ok=True)
    libraries = metal_libraries(shipped_modules_folder())
    kernels = {kernel for library in libraries for kernel in metal_kernels(metal_module(library)).items()}
    written = []
    for name, text in sorted(kernels):
        path = folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.metal"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    sys.stdout.write(f"{len(write_kernels(Path(sys.argv[1])))} kernels are in {sys.argv[1]}\n")
