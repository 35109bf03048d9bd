"""Prompts must be ours, different, repeatable, and cover every symbol of US English."""

from __future__ import annotations

import pytest
from misaki.en import US_VOCAB

from engine.models.checkpoints import model_config
from engine.text.g2p import Phonemizer
from engine.training.starter.texts import (
    HELD_OUT_SENTENCES,
    US_SYMBOLS,
    PromptLexicon,
    load_lexicon,
    missing_symbols,
    prompts,
)


@pytest.fixture(scope="module")
def lexicon() -> PromptLexicon:
    return load_lexicon()


def test_symbols_are_misakis() -> None:
    """Flap and glottal stop are written T and t; ɐ comes from the article."""
    assert set(US_VOCAB) - set("ɾʔ") | set("Tɐ") == US_SYMBOLS


def test_prompts_are_different_repeatable_and_not_held_out(lexicon: PromptLexicon) -> None:
    sentences = prompts(500, "a", lexicon, 60)
    assert sentences == prompts(500, "a", lexicon, 60)
    assert sentences != prompts(500, "b", lexicon, 60)
    assert len(set(sentences)) == 500
    assert not set(sentences) & set(HELD_OUT_SENTENCES)
    assert max(map(len, sentences)) <= 60


def test_prompts_cover_every_symbol(lexicon: PromptLexicon) -> None:
    config = model_config("starter")
    phonemizer = Phonemizer("en-US", frozenset(config.vocab), config.phoneme_limit)
    texts = prompts(250, "d", lexicon, 110)
    spoken = [utterance.phonemes for text in texts for utterance in phonemizer.plan(text).utterances]
    assert not missing_symbols(spoken)
    assert sum("ʒ" in phonemes for phonemes in spoken) >= 5


def test_a_hundred_different_sentences_are_held_out() -> None:
    assert len(set(HELD_OUT_SENTENCES)) == len(HELD_OUT_SENTENCES) == 100
    assert all(sentence[-1] in ".?" and sentence[0].isupper() for sentence in HELD_OUT_SENTENCES)
