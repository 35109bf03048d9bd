"""Kernels are made as the compiler makes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.compiler.script_parsing import quick_parsing


@pytest.fixture(scope="module", autouse=True)
def parsing() -> Iterator[None]:
    with quick_parsing():
        yield
