"""What the engine's tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from engine.compiler.script_parsing import quick_parsing
from engine.config import ModelConfig
from engine.model_store import ModelState, ModelStatus, ModelStore
from engine.model_store.catalogue import entry_named
from tests.engine.tiny_model import TINY


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """PyTorch draws the same numbers in a test and its fixtures, whatever ran before; not all tests load it."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(0)


@pytest.fixture(scope="session")
def tiny_config() -> ModelConfig:
    """A model small enough to build and compile in seconds."""
    return TINY


@pytest.fixture
def compact_model_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The 8-bit model counts as installed, with three voices; its files are not there."""

    def status(self: ModelStore, name: str) -> ModelStatus:
        here = name == "kokoro-82m-8bit"
        state = ModelState.INSTALLED if here else ModelState.ABSENT
        return ModelStatus(
            entry_named(name, self.catalogue()), state, voices=("af_heart", "am_adam", "bm_george") if here else ()
        )

    monkeypatch.setattr(ModelStore, "status", status)


@pytest.fixture(scope="session", autouse=True)
def kernels_are_made_quickly() -> Iterator[None]:
    """As in a build; tests that make a kernel by itself have no graph that would see to it."""
    with quick_parsing():
        yield
