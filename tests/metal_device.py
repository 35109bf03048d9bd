"""The Metal device of the tests: a Mac's own, in software elsewhere. It does not know what runs on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest

REQUIRED = "KOKORO_REQUIRE_METAL"
"""Set where the tests would be worth little without a real device."""


class MetalDevice(Protocol):
    """Where kernels run; `fast` ones may be looked at less strictly, where anything looks at them."""

    def device(self): ...

    def fast(self): ...


class RealMetal:
    """This Mac's."""

    def device(self):
        import tvm

        return tvm.metal(0)

    @contextmanager
    def fast(self) -> Iterator[None]:
        yield


def metal_device() -> MetalDevice:
    """The device that there is; where a Mac has none, the test is skipped, or fails if a real one is required."""
    on_a_mac = sys.platform == "darwin"
    if on_a_mac and RealMetal().device().exist:
        return RealMetal()
    if os.environ.get(REQUIRED):
        pytest.fail("A real Metal device is required, and there is none.")
    if on_a_mac:
        pytest.skip("This Mac gives no Metal device to this process.")
    from tests.software_metal.loader import install

    return install()
