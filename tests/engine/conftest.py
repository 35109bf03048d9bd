"""What the engine's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.compiler.script_parsing import quick_parsing
from engine.config import ModelConfig
from tests.engine.tiny_model import TINY


@pytest.fixture(scope="session")
def tiny_config() -> ModelConfig:
    """A model small enough to build and compile in seconds."""
    return TINY


@pytest.fixture(scope="session", autouse=True)
def kernels_are_made_quickly() -> Iterator[None]:
    """As in a build; tests that make a kernel by itself have no graph that would see to it."""
    with quick_parsing():
        yield
