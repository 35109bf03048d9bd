"""Builds the library through which TVM's modules call Metal Performance Shaders, on a Mac or for one.

It does not know which modules call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from engine.errors import CompileError, Cure

BRIDGE_NAME = "metal_performance_shaders.dylib"
FRAMEWORKS = ("Foundation", "Metal", "MetalPerformanceShaders")
_HERE = Path(__file__).parent
SOURCES = tuple(
    _HERE / name for name in ("packed_lstm.m", "lstm_layer.m", "packed_rows.c", "tensor_buffer.m", "tvm_call.m")
)
STUBS = _HERE / "stubs"
"""Declarations of what the bridge uses of Apple's frameworks, and their names for a linker, where Apple's are not."""
HEADERS = (*sorted(_HERE.glob("*.h")), *sorted(STUBS.rglob("*.h")))


def bridge_arguments(output: Path, stubs: bool) -> list[str]:
    """What to give a C compiler for Macs besides the options of any library; `stubs` without Apple's own headers.

    TVM's functions stay undefined: they are there when the library is loaded. Raises `CompileError` without TVM.
    """
    headers = [part for folder in header_folders(stubs) for part in ("-isystem", str(folder))]
    frameworks = [part for name in FRAMEWORKS for part in ("-framework", name)]
    search = ["-F", str(STUBS)] if stubs else []
    name = ["-install_name", f"@rpath/{BRIDGE_NAME}"]
    return ["-fno-objc-arc", *headers, *search, *frameworks, *name, "-o", str(output), *map(str, SOURCES)]


def header_folders(stubs: bool) -> Sequence[Path]:
    """Where the headers lie that the sources name."""
    package = find_spec("tvm_ffi")
    if package is None or package.origin is None:
        raise CompileError("TVM is not installed.", "Run “make setup”.", Cure.INSTALL_AGAIN)
    tvm = Path(package.origin).parent
    return [*([STUBS] if stubs else []), tvm / "include", tvm / "3rdparty" / "dlpack" / "include"]
