"""Word errors must be counted right; the recogniser must hear nothing in silence."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.training.starter.measures import Recogniser, WordCount, edit_distance, words

sentences = st.lists(st.sampled_from("abc"), max_size=8)


@given(sentences, sentences)
def test_distance_is_symmetric_and_bounded(left: list[str], right: list[str]) -> None:
    distance = edit_distance(left, right)
    assert distance == edit_distance(right, left)
    assert abs(len(left) - len(right)) <= distance <= max(len(left), len(right))
    assert (distance == 0) == (left == right)


def test_distance_of_known_sentences() -> None:
    assert edit_distance(["glue", "the", "sheet"], ["blue", "sheet", "to"]) == 3


def test_words_are_plain() -> None:
    assert words("It's EASY, to-tell.") == ["it's", "easy", "to", "tell"]


def test_counts_add_up() -> None:
    total = WordCount(4, 1) + WordCount(6, 4)
    assert total == WordCount(10, 5)
    assert total.rate == 0.5
    assert WordCount(0, 0).rate == 0


def test_every_word_is_missed_in_silence() -> None:
    counted = Recogniser().count("Help the woman.", np.zeros(24_000, np.float32), 24_000)
    assert counted == WordCount(3, 3)


def test_a_missing_recogniser_is_named_with_what_installs_the_tested_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    with pytest.raises(EngineError, match=r"pocketsphinx.*\.venv/bin/python -m pip install '\.\[train\]'"):
        Recogniser()
