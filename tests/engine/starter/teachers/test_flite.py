"""Flite's results must be read correctly; if flite is missing, the error says how to install it."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from engine.errors import EngineError
from engine.starter.teachers import flite
from engine.starter.teachers.flite import FliteTeacher, flite_installed


@pytest.fixture
def no_libraries(monkeypatch: pytest.MonkeyPatch) -> Any:
    def refuse(name: str, mode: int = 0) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    flite._library.cache_clear()
    yield
    flite._library.cache_clear()


@pytest.mark.usefixtures("no_libraries")
def test_missing_library_names_the_command() -> None:
    assert not flite_installed("cmu_us_rms")
    with pytest.raises(EngineError, match="apt-get install libflite1"):
        FliteTeacher("cmu_us_rms")


class FakeFlite:
    """An utterance of items written as nested dictionaries, behind flite's functions; numbers stand for pointers."""

    def __init__(self, segments: list[dict[str, Any]]) -> None:
        self._items: list[dict[str, Any]] = [{}, *segments]
        for segment in segments:
            if segment.get("word") and segment["word"] not in self._items:
                self._items.append(segment["word"])

    def _pointer(self, item: Any) -> int | None:
        return next((number for number, other in enumerate(self._items) if other is item), None)

    def item_as(self, item: int, relation: bytes) -> int | None:
        return item if self._items[item].get(relation.decode()) else None

    def item_parent(self, item: int) -> int | None:
        if item >= 1000:  # a syllable: its parent is the word
            return self._pointer(self._items[item - 1000]["word"])
        return 1000 + item if "word" in self._items[item] else item

    def item_next(self, item: int) -> int | None:
        return self._items[item].get("next")

    def item_feat_present(self, item: int, name: bytes) -> int:
        return int(name.decode() in self._items[item])

    def item_feat_string(self, item: int, name: bytes) -> bytes:
        return str(self._items[item][name.decode()]).encode()

    def item_feat_float(self, item: int, name: bytes) -> float:
        return float(self._items[item][name.decode()])

    def ffeature_string(self, item: int, path: bytes) -> bytes:
        return str(self._items[item]["stress"]).encode()

    def utt_relation(self, utterance: int, name: bytes) -> int:
        return 1

    def relation_head(self, relation: int) -> int:
        return relation


def test_segments_become_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    word = {"name": "ah", "Token": True, "punc": "."}
    segments = [
        {"name": "pau", "end": 0.2, "next": 2},
        {"name": "aa", "end": 0.5, "stress": 1, "SylStructure": True, "word": word, "next": None},
    ]
    teacher = FliteTeacher.__new__(FliteTeacher)
    monkeypatch.setattr(teacher, "_flite", FakeFlite(segments), raising=False)
    pause, vowel = teacher._phones(0)
    assert (pause.name, pause.word_index, pause.end_seconds) == ("pau", -1, 0.2)
    assert (vowel.name, vowel.start_seconds, vowel.end_seconds) == ("aa", 0.2, 0.5)
    assert (vowel.stressed, vowel.word_index, vowel.word, vowel.punctuation) == (True, 0, "ah", ".")
