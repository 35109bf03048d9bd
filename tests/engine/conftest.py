"""What the engine's tests share."""

from __future__ import annotations

import pytest

from engine.config import ModelConfig
from tests.engine.tiny_model import TINY


@pytest.fixture(scope="session")
def tiny_config() -> ModelConfig:
    """A model small enough to build and compile in seconds."""
    return TINY
