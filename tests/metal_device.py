"""The Metal device of the tests: a Mac's own, in software elsewhere. It does not know what runs on it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest


class MetalDevice(Protocol):
    """Where kernels run; `fast` ones may be looked at less strictly, `fast_math` ones may also round otherwise."""

    def device(self): ...

    def fast(self): ...

    def fast_math(self): ...


class RealMetal:
    """This Mac's."""

    def device(self):
        import tvm

        return tvm.metal(0)

    @contextmanager
    def fast(self) -> Iterator[None]:
        yield

    fast_math = fast  # Apple's compiler knows nothing else


def metal_device() -> MetalDevice:
    """The device that there is; the test fails where a Mac has none, and is skipped with `--without-metal`."""
    return find_device()


def leave_out() -> MetalDevice:
    """What `--without-metal` puts in the place of `find_device`."""
    pytest.skip("it needs a Metal device, and these are skipped")


def find_device() -> MetalDevice:
    """This Mac's device, elsewhere the one in software."""
    if sys.platform != "darwin":
        from tests.software_metal.loader import install

        return install()
    if not RealMetal().device().exist:
        pytest.fail("This Mac gives no Metal device to this process; the kernels cannot be tested without one.")
    return RealMetal()
