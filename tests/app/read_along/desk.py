"""A window that reads along, with a fake engine whose words are timed, and a fake device."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.read_along.feature import ReadAlongFeature
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from engine.errors import Cancelled
from engine.speech import AudioChunk, Event, Plan, PlanEvent, SpeechRequest, SpokenWord, Utterance
from tests.app.fakes import RATE_HZ, FakeEngine, FakeOutput, chunk_of, list_voices
from tests.patience import PATIENCE_MS

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
    """Speaks the text of this desk; `words_known` is whether it tells the times of the words."""

    words_known = True

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        observe(PlanEvent(Plan(utterances())))
        for utterance in utterances():
            while not self.hold.wait(0.005):
                if cancel is not None and cancel.is_set():
                    raise Cancelled("Speaking was stopped.")
            yield timed(utterance, known=self.words_known)


class Desk:
    """Nothing is heard until `hear`, and nothing made while the engine holds."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        self.engine, self.output, self.qtbot = TimedEngine(), FakeOutput(), qtbot
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.settings.text = TEXT
        self.controller = SpeechController(lambda: self.engine, self.output, list_voices=list_voices)
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.window = MainWindow(self.controller, self.settings, self.theme, RecentTexts(folder / "texts"))
        self.page = self.window.page
        self.editor = self.page.editor
        self.feature = ReadAlongFeature(self.window, self.controller, self.settings)
        qtbot.addWidget(self.window)
        self.window.show()
        qtbot.waitExposed(self.window)
        self.controller.list_voices()
        self.controller.prepare()
        qtbot.waitUntil(lambda: self.controller.activity.readiness is Readiness.READY)

    def speak(self) -> None:
        """Make all of the speech."""
        self.window.play()
        self.qtbot.waitUntil(lambda: self.controller.track.finished)

    def hear(self, samples: int) -> None:
        self.output.stream.pull(samples)
        self.controller.player.tick()

    @property
    def position(self) -> int:
        return self.controller.player.position

    @property
    def marked(self) -> list[str]:
        return [each.cursor.selectedText() for each in self.editor.edit.extraSelections()]

    def close(self) -> None:
        assert self.controller.shut_down(PATIENCE_MS)
        self.theme.deleteLater()
