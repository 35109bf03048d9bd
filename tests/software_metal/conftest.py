"""On a Mac the real device stands where the software one would: what asks the latter is not collected there."""

from __future__ import annotations

import sys

import pytest

from tests.software_metal.loader import SoftwareMetal, install

collect_ignore_glob = ["test_*.py"] if sys.platform == "darwin" else []


@pytest.fixture(scope="session")
def software_metal() -> SoftwareMetal:
    """A Metal device in software: TVM's `metal` modules load and run, with every access checked, slowly.

    For tests that ask it what it did; others take `tests.metal_device`, which is the real one on a Mac.
    """
    return install()
