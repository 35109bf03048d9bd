"""A window that reads along, with a fake engine that times words, and a fake device."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.read_along.feature import ReadAlongFeature
from engine.errors import Canceled
from engine.speech import AudioChunk, Event, Plan, PlanEvent, SpeechRequest, SpokenWord, Utterance
from tests.app.fakes import RATE_HZ, FakeEngine, chunk_of
from tests.app.window_desk import WindowDesk

TEXT = "One two. Three 🙂 four. Five six. Seven eight."
"""Two sentences in each utterance; a word every half second."""
WORD_SAMPLES = RATE_HZ // 2


def utterances() -> tuple[Utterance, ...]:
    middle = TEXT.index(" Five") + 1
    first = Utterance(0, TEXT[: middle - 1], "x", 0, middle - 1)
    return first, Utterance(1, TEXT[middle:], "x", middle, len(TEXT))


def timed(utterance: Utterance, *, known: bool = True) -> AudioChunk:
    words: list[SpokenWord] = []
    at = 0
    for word in utterance.text.replace(".", "").replace("🙂 ", "").split():
        at = utterance.text.index(word, at)
        first = len(words) * WORD_SAMPLES
        words.append(SpokenWord(utterance.start + at, utterance.start + at + len(word), first, first + WORD_SAMPLES))
    chunk = chunk_of(utterance, 2, len(words) * WORD_SAMPLES)
    return replace(chunk, words=tuple(words)) if known else chunk


class TimedEngine(FakeEngine):
    """Speaks the text of this desk; it reports the times of words if `words_known`."""

    words_known = True

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        observe(PlanEvent(Plan(utterances())))
        for utterance in utterances():
            while not self.hold.wait(0.005):
                if cancel is not None and cancel.is_set():
                    raise Canceled("Speech stopped.")
            yield timed(utterance, known=self.words_known)


class Desk(WindowDesk):
    """A window where nothing plays until `hear`, and nothing is generated while the engine holds."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder, TEXT, TimedEngine())
        self.feature = ReadAlongFeature(self.window, self.controller, self.settings)
        self.show()
        self.prepare()

    @property
    def position(self) -> int:
        return self.controller.player.position
