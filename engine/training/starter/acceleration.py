"""Fused arithmetic for the generator's blocks while they are trained.

A compiled block computes the same as kokoro's block, in about two thirds of the time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from engine.network.architecture import Network


def compile_generator_blocks(network: Network) -> bool:
    """Let torch fuse the residual blocks for one fixed shape; returns false if no C++ compiler is installed."""
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        return False
    generator = network.decoder.generator
    for block in (*generator.resblocks, *generator.noise_res):
        block.compile(dynamic=False)
    return True


@contextmanager
def without_compiling() -> Iterator[None]:
    """Run compiled blocks uncompiled, for inputs of any other shape."""
    with torch.compiler.set_stance("force_eager"):
        yield
