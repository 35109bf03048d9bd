"""Books of any size, and a fast speaker that generates noise."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from engine.errors import NothingToSpeak
from engine.export.export_job import ExportJob, ExportProgress
from engine.export.exporting import export
from engine.speech import AudioChunk, Event, SpeechRequest, SpokenWord, Utterance
from engine.text.documents import Chapter, Document

RATE_HZ = 24_000
SAMPLES_PER_CHARACTER = 100
"""Enough to tell utterances apart; real speech has some 1,600."""
PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)
WORDS = tuple("the quick brown fox jumps over a lazy dog and finds nothing it did not know".split())  # noqa: SIM905


def sentence(number: int) -> str:
    """Return a sentence that is unique to this number."""
    drawn = np.random.default_rng(number).choice(WORDS, 12)
    return f"{' '.join(drawn).capitalize()} {number}."


def chapter(number: int, characters: int) -> Chapter:
    """Return a chapter of paragraphs, with its title first."""
    title = f"Chapter {number}"
    text, at = [title], 1000 * number
    while sum(map(len, text)) < characters:
        text.append(" ".join(sentence(at + offset) for offset in range(5)))
        at += 5
    return Chapter(title, "\n\n".join(text))


def book(chapters: int = 3, characters: int = 8000) -> Document:
    """Return a book; each of its chapters has at least `characters` characters."""
    return Document(
        "The Book", "A. Writer", "en", tuple(chapter(number, characters) for number in range(1, chapters + 1)), PNG
    )


class FastSpeaker:
    """A speaker that renders each paragraph as noise; equal paragraphs sound the same."""

    sample_rate_hz = RATE_HZ

    def __init__(self, samples_per_character: int = SAMPLES_PER_CHARACTER) -> None:
        self.requests: list[SpeechRequest] = []
        self.model = "fast"
        self._samples_per_character = samples_per_character

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        pass

    def fingerprint(self, voice: str) -> str:
        return self.model

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        self.requests.append(request)
        if not any(letter.isalnum() for letter in request.text):
            raise NothingToSpeak("Nothing in the text has a sound.", "Type words.")
        start = 0
        paragraphs = request.text.split("\n\n")
        for index, paragraph in enumerate(paragraphs):
            start = request.text.index(paragraph, start)
            utterance = Utterance(index, paragraph, paragraph, start, start + len(paragraph))
            samples = self._sound(f"{self.model} {request.voice} {request.seed} {paragraph}", len(paragraph))
            words = (SpokenWord(start, start + paragraph.index(" ") if " " in paragraph else start + 1, 0, 10),)
            yield AudioChunk(utterance, len(paragraphs), samples, RATE_HZ, words)

    def _sound(self, seed: str, characters: int) -> np.ndarray:
        drawn = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))
        return drawn.uniform(-0.5, 0.5, characters * self._samples_per_character).astype(np.float32)


def order_of(document: Document, path: Path, *, per_chapter: bool = False) -> ExportJob:
    """Return an export job with default settings."""
    return ExportJob(document, SpeechRequest("", "af_heart"), path, per_chapter)


def run(
    order: ExportJob, speaker: FastSpeaker | None = None, cancel: threading.Event | None = None
) -> list[ExportProgress]:
    """Run an export; return all progress reports."""
    return list(export(order, speaker or FastSpeaker(), lambda _: None, cancel))
