"""The tests' Metal device: a Mac's own, software elsewhere. It is independent of the kernels it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest

ONLY_PROCESS = "ONLY_PROCESS_WITH_SOFTWARE_METAL"
"""The environment variable with the number of the only process that has software Metal; without it, all have it."""


class MetalDevice(Protocol):
    """A device for kernels; `fast` ones may be checked less strictly, `fast_math` ones may also round differently."""

    def device(self): ...

    def fast(self): ...

    def fast_math(self): ...


class RealMetal:
    """This Mac's device."""

    def device(self):
        import tvm

        return tvm.metal(0)

    @contextmanager
    def fast(self) -> Iterator[None]:
        yield

    fast_math = fast  # Apple's compiler has no other mode


def metal_device() -> MetalDevice:
    """Return the available device; the test fails on a Mac without one, and is skipped with `--without-metal`."""
    return find_device()


def leave_out() -> MetalDevice:
    """Skip the test; replaces `find_device` if `--without-metal` is given."""
    pytest.skip("it needs a Metal device, and these are skipped")


def find_device() -> MetalDevice:
    """Return this Mac's device, or the software one elsewhere."""
    if sys.platform != "darwin":
        if os.environ.get(ONLY_PROCESS, str(os.getpid())) != str(os.getpid()):
            raise FileNotFoundError("There is no software Metal in child processes: they use a Mac's own GPU.")
        from tests.software_metal.loader import install

        return install()
    if not RealMetal().device().exist:
        pytest.fail("This Mac gives no Metal device to this process; the kernels cannot be tested without one.")
    return RealMetal()
