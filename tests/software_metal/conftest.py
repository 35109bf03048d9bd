"""Fixtures for the software device; a Mac has the real one instead, so tests of the former are not collected there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.engine.tiny_model import TINY
from tests.software_metal.loader import SoftwareMetal, install

collect_ignore_glob = ["test_*.py"] if sys.platform == "darwin" else []


@pytest.fixture(scope="session")
def software_metal() -> SoftwareMetal:
    """A Metal device in software: TVM's `metal` modules load and run, with every access checked, slowly.

    For tests that query its counts; others use `tests.metal_device`, which is the real one on a Mac.
    """
    return install()


@pytest.fixture(scope="module", params=["exact", "fast mathematics"])
def compiling(
    request: pytest.FixtureRequest, software_metal: SoftwareMetal
) -> Callable[[], AbstractContextManager[None]]:
    """Both modes of compiling kernels: with rounding as in NumPy, and as by Apple for TVM."""
    return {"exact": software_metal.fast, "fast mathematics": software_metal.fast_math}[request.param]


@pytest.fixture(params=["checked", "fast"])
def device(request: pytest.FixtureRequest, software_metal: SoftwareMetal) -> Iterator[Any]:
    """TVM's device, once with every access checked and once without."""
    if request.param == "checked":
        yield software_metal.device()
        return
    with software_metal.fast():
        yield software_metal.device()


@pytest.fixture(scope="session")
def tiny_modules() -> Path:
    """All stages of the tiny model, compiled for the device."""
    from engine.compiler.artifacts.manifest import Variant
    from tests.engine.kept_modules import kept_modules

    return kept_modules(TINY, Variant("metal-host"))


@pytest.fixture
def checked_device(software_metal: SoftwareMetal) -> Any:
    """TVM's device, with every access checked."""
    return software_metal.device()
