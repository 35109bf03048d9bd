"""A published model, the real client directed to the stand-in hub, and stores that work in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.config import ModelConfig
from engine.models import sources, store
from engine.models.store import ModelStore
from tests.engine.models.packaged import Packaged
from tests.engine.models.packaged import packaged as make_packaged
from tests.engine.models.published import Published, publish
from tests.engine.models.stand_in_hub import StandInHub, stand_in_hub
from tests.patience import PATIENCE_SECONDS


@pytest.fixture(scope="session")
def published(tiny_config: ModelConfig, tmp_path_factory: pytest.TempPathFactory) -> Published:
    return publish(tiny_config, tmp_path_factory.mktemp("resources"))


@pytest.fixture(scope="session")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packaged_resources")


@pytest.fixture(scope="session")
def all_packaged(tiny_config: ModelConfig, resources: Path) -> Packaged:
    return make_packaged(tiny_config, resources)


@pytest.fixture
def packaged(all_packaged: Packaged, resources: Path, monkeypatch: pytest.MonkeyPatch) -> Packaged:
    """A quantized model of a few weights, with its table, its voices and a correction among the resources."""
    monkeypatch.setattr(sources, "resources_folder", lambda: resources)
    return all_packaged


@contextmanager
def hub_for(published: Published, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInHub]:
    """Run the hub that the real client uses, in this process and its children; its cache is empty."""
    from huggingface_hub import constants

    with stand_in_hub(dict(published.files)) as hub, monkeypatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.endpoint)
        patch.setenv("HF_HOME", str(folder / "hub_home"))
        for name in ("HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"):
            patch.setenv(name, str(PATIENCE_SECONDS))
            patch.setattr(constants, name, PATIENCE_SECONDS)
        patch.setattr(constants, "ENDPOINT", hub.endpoint)
        patch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        )
        patch.setattr(constants, "HF_HUB_CACHE", str(folder / "hub_home" / "hub"))
        patch.setattr(constants, "HF_HUB_OFFLINE", False)
        patch.setattr("time.sleep", lambda seconds: None)  # the client's pauses before it retries
        yield hub


@pytest.fixture
def hub(published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInHub]:
    with hub_for(published, tmp_path, monkeypatch) as hub:
        yield hub


def call_here(function: Callable[..., object], *arguments: object, **options: object) -> object:
    """Call the function in this process, which saves starting PyTorch for each test."""
    return function(*arguments)


@pytest.fixture
def models(tmp_path: Path, published: Published, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    for module in (store, sources):
        monkeypatch.setattr(module, "call", call_here)
    return ModelStore(tmp_path / "models", (published.entry,))
