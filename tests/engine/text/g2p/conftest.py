"""Phonemizers for both languages, with the offline tagger, so that results do not depend on installed packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.config import ModelConfig
from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import load_offline_analyzer

CONFIG = Path(__file__).resolve().parents[4] / "resources" / "kokoro-82m" / "config.json"


@pytest.fixture(scope="session")
def symbols() -> frozenset[str]:
    """Kokoro's alphabet."""
    return frozenset(ModelConfig.load(CONFIG).vocab)


@pytest.fixture(scope="session")
def american(symbols: frozenset[str]) -> Phonemizer:
    return Phonemizer("en-US", symbols, 510, load_analyzer=load_offline_analyzer)


@pytest.fixture(scope="session")
def british(symbols: frozenset[str]) -> Phonemizer:
    return Phonemizer("en-GB", symbols, 510, load_analyzer=load_offline_analyzer)
