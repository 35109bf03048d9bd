"""Compiles Metal kernels with Apple's own compiler, so that no Mac has to compile them from source when it speaks.

TVM hands over the source of each kernel and embeds what it gets back in the stage's library. Never run on a Mac: tests
have a stand-in for the compiler.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tvm_ffi

from engine.errors import CompileError

CALLBACK = "tvm_callback_metal_compile"
"""The function that TVM calls, if registered, with a kernel's source and the target; returns the compiled library."""
_COMMAND = ("xcrun", "-sdk", "macosx", "metal")
_AS_TVM_COMPILES = ("-std=macos-metal2.3", "-ffast-math", "-mmacosx-version-min=14.0")
"""The language and the arithmetic of the kernels that TVM's runtime compiles from source, and the oldest system."""
_FORMAT = "metallib"


@contextmanager
def kernels_compiled_ahead() -> Iterator[None]:
    """Stages built inside hold compiled kernels instead of sources; raises `CompileError` without Apple's compiler."""
    if shutil.which(_COMMAND[0]) is None:
        raise CompileError(
            "Apple’s compiler for Metal isn’t installed.", "Install Xcode on a Mac, or omit --compile-kernels."
        )
    tvm_ffi.register_global_func(CALLBACK, _compiled, override=True)
    try:
        yield
    finally:
        tvm_ffi.registry.remove_global_func(CALLBACK)


def _compiled(source: str, _: Any) -> list[Any]:
    """A kernel's library and its format."""
    with tempfile.TemporaryDirectory() as folder:
        text, library = Path(folder) / "kernel.metal", Path(folder) / "kernel.metallib"
        text.write_text(source, encoding="utf-8")
        command = [*_COMMAND, *_AS_TVM_COMPILES, str(text), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(f"Apple’s compiler rejected a kernel: {done.stderr.strip()}")
        return [library.read_bytes(), _FORMAT]
