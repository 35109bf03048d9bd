"""Recordings must be equally loud, complete, and unchanged when read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.starter.batches import Item
from engine.starter.corpus import ARRAYS, LOUDNESS, CorpusRequest, load_corpus, loudness, record, save_corpus
from engine.starter.teachers.speech import PAUSE, Phone, TeacherSpeech
from engine.starter.voices import STARTER_VOICES

RATE_HZ = 16_000


class HummingTeacher:
    """Says every text as one vowel, at a tenth of full scale."""

    def speak(self, texts: Iterable[str]) -> Iterator[TeacherSpeech]:
        for text in texts:
            time = np.arange(RATE_HZ) / RATE_HZ
            phones = (
                Phone("aa", 0.0, 0.8, True, 0, "ah", "."),
                Phone(PAUSE, 0.8, 1.0, False, -1, "", ""),
            )
            yield TeacherSpeech(text, RATE_HZ, (0.1 * np.sin(2 * np.pi * 150 * time)).astype(np.float32), phones)


def no_entry(word: str) -> tuple[str, ...]:
    return ()


def test_recording_brings_a_voice_to_the_common_loudness(narrow_config: ModelConfig) -> None:
    shares: list[float] = []
    request = CorpusRequest(STARTER_VOICES[0], ("Ah.", "Oh."))
    examples = record(HummingTeacher(), request, no_entry, narrow_config, shares.append)
    assert [example.text for example in examples] == ["Ah.", "Oh."]
    assert [example.phonemes for example in examples] == ["$ˈɑ.$"] * 2
    assert shares == [0.5, 1.0]
    middle = examples[0].samples[2000:-4000]
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(LOUDNESS, rel=0.02)


def test_loudness_of_a_sine() -> None:
    assert loudness(HummingTeacher(), ["Ah."]) == pytest.approx(0.1 / np.sqrt(2), rel=1e-3)


def test_saved_examples_come_back(items: tuple[Item, ...], tmp_path: Path) -> None:
    examples = [item.example for item in items]
    save_corpus(tmp_path / "folder" / "corpus.safetensors", examples)
    read = load_corpus(tmp_path / "folder" / "corpus.safetensors")
    assert [example.text for example in read] == [example.text for example in examples]
    for before, after in zip(examples, read, strict=True):
        for name in ARRAYS:
            assert np.array_equal(getattr(before, name), getattr(after, name)), name
            assert getattr(before, name).dtype == getattr(after, name).dtype
