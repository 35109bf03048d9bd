"""Compiles the software device and its kernels, once for each content. It is independent of the kernels' meaning."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path

from filelock import FileLock

from tests.software_metal.address_spaces import HEADER, complaints
from tests.software_metal.translate import translate

HERE = Path(__file__).parent
COMPILER = "clang++"
LINKER = "ld"
SYMBOLS = ("software_metal_thread", "software_metal_threadgroup_bytes", "software_metal_synchronises")
LIBRARY_SOURCES = ("commands.cc", "staging.cc", "device.cc", "launch.cc", "accesses.cc", "module.cc")
LIBRARY_FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared")
# Every private variable starts as NaN; a*b+c is rounded twice, as in NumPy.
KERNEL_FLAGS = ("-std=c++17", "-fPIC", "-w", "-ffp-contract=off", "-fno-math-errno", "-ftrivial-auto-var-init=pattern")
CHECKED_FLAGS = (  # the checks cover every access
    "-O2",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-builtin-memcpy",
    "-fno-builtin-memset",
    "-fsanitize=thread",
    "-mllvm",
    "-tsan-instrument-func-entry-exit=0",
    "-mllvm",
    "-tsan-instrument-read-before-write=1",
)
FAST_FLAGS = ("-O1", "-march=native")
FAST_MATH_FLAGS = (*FAST_FLAGS, "-ffast-math", "-ffp-contract=fast")


class Build(Enum):
    """The modes of compiling kernels."""

    CHECKED = CHECKED_FLAGS
    """Every access is checked."""
    FAST = FAST_FLAGS
    """Several times as fast. Barriers, limits, alignment, uses after free, accesses past a page are still checked."""
    FAST_MATH = FAST_MATH_FLAGS
    """As fast, and compiled as by Apple for TVM: sums in any order, a*b+c rounded once, divisions by reciprocals.

    The compiler assumes that there is neither infinity nor NaN: a kernel that tells them apart from numbers is wrong
    here, and one that reads unwritten memory need not give NaN.
    """


def cache_folder() -> Path:
    """Return the folder that caches compiled files between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME", HERE.parents[1] / "build/test/cache")) / "software_metal"


def build_library() -> Path:
    """Return the path of the device's shared library."""
    texts = [path.read_bytes() for path in sorted(HERE.glob("*.cc")) + sorted(HERE.glob("*.h"))]
    command = [COMPILER, *LIBRARY_FLAGS, *(str(HERE / name) for name in LIBRARY_SOURCES), *_tvm_flags()]
    cache_folder().mkdir(parents=True, exist_ok=True)
    with FileLock(cache_folder() / "device.lock"):  # all test processes begin with it
        return _build("device", [*texts, " ".join(command).encode()], lambda out: [[*command, "-o", str(out)]])


def build_kernels(texts: Mapping[str, str], build: Build) -> Path:
    """Return the path of a shared library with a module's kernels, given by name.

    All are compiled as one text: most of the work for one kernel is the same for all. The symbols of each kernel end in
    its name. Raises RuntimeError with the compiler's words if types or address spaces are wrong, or a function is
    unknown.
    """
    source = "".join(
        ['#include "msl.h"\n', *(_apart(name, translate(name, text).text) for name, text in texts.items())]
    )
    flags = [*KERNEL_FLAGS, *build.value]
    headers = [path.read_bytes() for path in (HERE / "msl.h", HERE / "vector_types.h", HEADER)]
    parts = [source.encode(), *headers, " ".join(flags).encode()]

    def commands(out: Path) -> list[list[str]]:
        if complaints(*texts.values()):
            raise RuntimeError(_who_is_wrong(texts))
        text, compiled = out.with_suffix(".cpp"), out.with_suffix(".o")
        text.write_text(source, encoding="utf-8")
        link = [
            LINKER,
            "-shared",
            str(compiled),
            "-o",
            str(out),
        ]  # not by the compiler, which takes thirty times as long
        return [[COMPILER, *flags, "-I", str(HERE), "-c", str(text), "-o", str(compiled)], link]

    return _build(f"kernel {', '.join(texts)}", parts, commands)


def _apart(name: str, source: str) -> str:
    """Return a kernel's C++ text separated from the others'; its lines are renumbered."""
    renamed = "".join(f"#define {symbol} {symbol}_{name}\n" for symbol in SYMBOLS)
    ended = "".join(f"#undef {symbol}\n" for symbol in SYMBOLS)
    return f'{renamed}namespace of_{name} {{\n#line 1 "{name}"\n{source}}}\n{ended}'


def _who_is_wrong(texts: Mapping[str, str]) -> str:
    found = next((name, words) for name, text in texts.items() if (words := complaints(text)))
    return f"kernel {found[0]} is wrong in its types or address spaces:\n{found[1][:4000]}"


def _tvm_flags() -> list[str]:
    import tvm
    import tvm_ffi

    headers, runtime = Path(tvm_ffi.__file__).parent, Path(tvm.__file__).parent
    includes = (headers / "include", headers / "3rdparty/dlpack/include", runtime / "include")
    folders = (headers / "lib", runtime / "lib")
    return [
        *(part for folder in includes for part in ("-isystem", str(folder))),
        *(part for folder in folders for part in (f"-L{folder}", f"-Wl,-rpath,{folder}")),
        "-ltvm_ffi",
        "-ltvm_runtime",
    ]


def _build(what: str, parts: list[bytes], commands: Callable[[Path], list[list[str]]]) -> Path:
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]
    finished = cache_folder() / f"{digest}.so"
    if finished.is_file():
        return finished
    if shutil.which(COMPILER) is None or shutil.which(LINKER) is None:
        raise RuntimeError("clang++ and ld are needed to run Metal kernels in software")
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as working:
        built = Path(working) / "built.so"
        for command in commands(built):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{what} does not compile:\n{done.stderr[:4000]}")
        built.replace(finished)
    return finished
