"""The tests' bridge: a Mac's own; elsewhere one with a stand-in for Metal Performance Shaders, over software Metal.

The stand-in shows that the bridge follows Apple's documentation. It cannot show how Apple's own classes behave.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.compiler.mps_bridge.bridge import HEADERS, SOURCES, header_folders
from tests.metal_device import metal_device
from tests.software_metal.build import cache_folder

HERE = Path(__file__).parent
ON_A_MAC = sys.platform == "darwin"
REPLACED = "tensor_buffer.m"
OWN_SOURCES = (HERE / "stand_in_metal.m", HERE / "stand_in_mps.m")
OWN_HEADERS = (HERE / "stand_in_metal.h",)
FLAGS = ("-O2", "-fPIC", "-fobjc-runtime=gcc", "-Wall", "-Werror", "-Wno-incomplete-implementation")


@functools.cache
def install() -> ctypes.CDLL:
    """Register the bridge's functions for the rest of the process."""
    metal_device()
    return ctypes.CDLL(str(_for_mac() if ON_A_MAC else _built()), mode=os.RTLD_GLOBAL | os.RTLD_NOW)


def live_objects() -> int:
    """Return the number of objects of the stand-in that exist; none are counted on a Mac."""
    if ON_A_MAC:
        return 0
    count = install().stand_in_live_objects
    count.restype = ctypes.c_long
    return count()


def made_so_far() -> tuple[int, int]:
    """Return the numbers of command buffers and matrices that the stand-in has created; none are counted on a Mac."""
    if ON_A_MAC:
        return 0, 0
    names = ("stand_in_command_buffers", "stand_in_matrices")
    buffers, matrices = (ctypes.c_long.in_dll(install(), name).value for name in names)
    return buffers, matrices


def compiler_flags() -> list[str]:
    """Return clang's flags for the bridge: Apple's own headers on a Mac, otherwise declarations of them and GNU's."""
    if ON_A_MAC:
        return [part for folder in header_folders(stubs=False) for part in ("-isystem", str(folder))]
    gnu = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout
    folders = [*header_folders(stubs=True), Path(gnu.strip())]
    return [*FLAGS, *(part for folder in folders for part in ("-isystem", str(folder)))]


def _for_mac() -> Path:
    from engine.compiler.linking import link_bridge

    path = Path(tempfile.mkdtemp()) / "bridge.dylib"
    link_bridge(path)
    return path


def _built() -> Path:
    sources = [path for path in SOURCES if path.name != REPLACED]
    command = ["clang", "-shared", *compiler_flags(), "-I", str(SOURCES[0].parent), "-I", str(HERE)]
    command += [*map(str, (*sources, *OWN_SOURCES)), "-lobjc"]
    texts = [path.read_bytes() for path in (*SOURCES, *HEADERS, *OWN_SOURCES, *OWN_HEADERS)]
    digest = hashlib.sha256(b"\0".join([*texts, " ".join(command).encode()])).hexdigest()[:32]
    finished = cache_folder() / f"{digest}.so"
    if not finished.is_file():
        finished.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=finished.parent) as folder:
            built = Path(folder) / "bridge.so"
            subprocess.run([*command, "-o", str(built)], check=True)
            built.replace(finished)
    return finished
