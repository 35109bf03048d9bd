"""Fixtures shared by the engine's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, wraps
from typing import Any

import pytest
from tvm.tirx import PrimFunc

from engine.compiler.kernel_calls import KernelRegistry
from engine.compiler.script_parsing import quick_parsing
from engine.config import ModelConfig
from engine.models.catalog import entry_named
from engine.models.store import ModelState, ModelStatus, ModelStore
from tests.engine.tiny_model import TINY


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Seed PyTorch, so that a test and its fixtures draw the same numbers in any order; not all tests load it."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(0)


@pytest.fixture(scope="session")
def tiny_config() -> ModelConfig:
    """A model small enough to build and compile in seconds."""
    return TINY


@pytest.fixture
def compact_model_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The 8-bit model counts as installed, with three voices; its files do not exist."""

    def status(self: ModelStore, name: str) -> ModelStatus:
        here = name == "kokoro-82m-8bit"
        state = ModelState.INSTALLED if here else ModelState.ABSENT
        return ModelStatus(
            entry_named(name, self.catalog()), state, voices=("af_heart", "am_adam", "bm_george") if here else ()
        )

    monkeypatch.setattr(ModelStore, "status", status)


@pytest.fixture(scope="session", autouse=True)
def kernels_are_made_quickly() -> Iterator[None]:
    """Parse quickly, as in a build; tests that create a kernel by itself have no graph that would do so.

    A kernel of the same sizes is created once for all graphs of the tests: parsing its script is a third of a build.
    """
    place = KernelRegistry.place

    @cache
    def made_once(factory: Callable[..., PrimFunc]) -> Callable[..., PrimFunc]:
        return wraps(factory)(lru_cache(maxsize=None, typed=True)(factory))

    def place_once(book: KernelRegistry, importer: Any, factory: Callable[..., PrimFunc], sizes: Sequence[Any]) -> Any:
        return place(book, importer, made_once(factory), sizes)

    with quick_parsing(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(KernelRegistry, "place", place_once)
        yield
