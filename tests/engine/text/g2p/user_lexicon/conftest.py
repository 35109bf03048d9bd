"""A lexicon in an empty folder, and English phonemizers that use it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import load_offline_analyzer
from engine.text.g2p.user_lexicon.store import UserLexicon


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> UserLexicon:
    return UserLexicon(tmp_path_factory.mktemp("lexicon") / "lexicon.json")


@pytest.fixture
def lexicon(shared: UserLexicon) -> Iterator[UserLexicon]:
    """An empty lexicon; the phonemizers `us` and `gb` use it."""
    shared.path.unlink(missing_ok=True)
    yield shared
    shared.path.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def us(symbols: frozenset[str], shared: UserLexicon) -> Phonemizer:
    return Phonemizer("en-US", symbols, 510, load_analyzer=load_offline_analyzer, lexicon=shared)


@pytest.fixture(scope="session")
def gb(symbols: frozenset[str], shared: UserLexicon) -> Phonemizer:
    return Phonemizer("en-GB", symbols, 510, load_analyzer=load_offline_analyzer, lexicon=shared)
