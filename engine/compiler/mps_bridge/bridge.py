"""Sources and compiler arguments of the library through which TVM's modules call Metal Performance Shaders."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from engine.errors import CompileError, RecoveryAction

BRIDGE_NAME = "metal_performance_shaders.dylib"
FRAMEWORKS = ("CoreFoundation", "Foundation", "Metal", "MetalPerformanceShaders")
OBJECTIVE_C = "objc"
"""The library of Objective-C's runtime."""
_HERE = Path(__file__).parent
SOURCES = tuple(
    _HERE / name for name in ("packed_lstm.m", "lstm_layer.m", "step_rows.m", "tensor_buffer.m", "tvm_call.m")
)
STUBS = _HERE / "stubs"
"""Headers and linker stubs for the parts of Apple's frameworks that the bridge uses, for systems without them."""
HEADERS = (*sorted(_HERE.glob("*.h")), *sorted(STUBS.rglob("*.h")))


def bridge_arguments(output: Path, stubs: bool) -> list[str]:
    """The arguments for a C compiler for Macs, besides those common to all libraries.

    `stubs` replaces Apple's own headers. TVM's functions stay undefined until the library is loaded. Raises
    `CompileError` if TVM is not installed.
    """
    headers = [part for folder in header_folders(stubs) for part in ("-isystem", str(folder))]
    frameworks = [part for name in FRAMEWORKS for part in ("-framework", name)]
    search = ["-F", str(STUBS), "-L", str(STUBS)] if stubs else []
    name = ["-install_name", f"@rpath/{BRIDGE_NAME}"]
    libraries = [*search, *frameworks, f"-l{OBJECTIVE_C}"]
    return ["-fno-objc-arc", *headers, *libraries, *name, "-o", str(output), *map(str, SOURCES)]


def header_folders(stubs: bool) -> Sequence[Path]:
    """The folders of the headers that the sources include."""
    package = find_spec("tvm_ffi")
    if package is None or package.origin is None:
        raise CompileError("TVM isn’t installed.", "Run “make setup”.", RecoveryAction.INSTALL_AGAIN)
    tvm = Path(package.origin).parent
    return [*([STUBS] if stubs else []), tvm / "include", tvm / "3rdparty" / "dlpack" / "include"]
