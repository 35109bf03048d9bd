"""The bridge, built for this machine with a stand-in for Metal Performance Shaders, over the software Metal device.

It shows that the bridge asks for what Apple's documentation describes. It does not know how Apple's own classes behave.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from engine.metal.bridge import HEADERS, SOURCES, header_folders
from tests.software_metal.build import cache_folder
from tests.software_metal.loader import install as install_device

HERE = Path(__file__).parent
REPLACED = "tensor_buffer.m"
OWN_SOURCES = (HERE / "stand_in_metal.m", HERE / "stand_in_mps.m")
OWN_HEADERS = (HERE / "stand_in_metal.h",)
FLAGS = ("-O2", "-fPIC", "-fobjc-runtime=gcc", "-Wall", "-Werror", "-Wno-incomplete-implementation")


@functools.cache
def install() -> ctypes.CDLL:
    """Register the bridge's functions for the rest of the process."""
    install_device()
    return ctypes.CDLL(str(_built()), mode=os.RTLD_GLOBAL | os.RTLD_NOW)


def live_objects() -> int:
    """Objects of the stand-in that were made and not freed."""
    count = install().stand_in_live_objects
    count.restype = ctypes.c_long
    return count()


def compiler_flags() -> list[str]:
    """What clang needs to read the bridge here: Apple's declarations, TVM's, and GNU's of the language."""
    gnu = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout
    folders = [*header_folders(stubs=True), Path(gnu.strip())]
    return [*FLAGS, *(part for folder in folders for part in ("-isystem", str(folder)))]


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
