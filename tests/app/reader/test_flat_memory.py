"""Plays a novel for half an hour, faster than real time, in a window with an engine of silence."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.reader.feature import ReaderFeature
from app.reading.places import ReadingPositions
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from app.speech.engine_worker import EngineFactory, engine_for, voices_here
from app.theme import Appearance, Theme
from engine.speech import STARTER, AudioChunk, Event, Plan, SpeechRequest
from engine.system.waiting import raise_if_set
from tests.app.fakes import FakeEngine, FakeOutput, FakeStream
from tests.engine.memory import private_bytes
from tests.engine.text.documents.books import book, write_epub
from tests.patience import PATIENCE_MS, wait_until

RATE_HZ = 24_000
SECONDS_OF_AN_UTTERANCE = 5
MINUTES = 30
GROWS_BY_LESS_THAN_BYTES = 30_000_000


class LongEngine(FakeEngine):
    """Speaks five seconds for each sentence, once the window has processed the previous ones.

    Any model is slower than the window; otherwise the audio would pile up in the queue between the threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self.taken = threading.Semaphore()

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        for chunk in super().synthesize(request, observe, cancel):
            while not self.taken.acquire(timeout=0.005):
                raise_if_set(cancel)
            samples = np.zeros(SECONDS_OF_AN_UTTERANCE * RATE_HZ, np.float32)
            yield AudioChunk(chunk.utterance, chunk.utterance_count, samples, RATE_HZ)


class Listener:
    """Receives the window's audio and stores none of it."""

    def __init__(self, window: MainWindow, controller: SpeechController, output: FakeOutput) -> None:
        self._window, self._controller, self._output = window, controller, output
        self.seconds = 0.0

    def hear_until(self, seconds: float) -> None:
        while self.seconds < seconds:
            wait_until(partial(self._hears_more_than, self.seconds), f"more than {self.seconds:g} s of the novel")

    def _hears_more_than(self, seconds: float) -> bool:
        QApplication.processEvents()
        if self._output.streams:
            self._hear(self._output.stream)
        return self.seconds > seconds

    def _hear(self, stream: FakeStream) -> None:
        stream.pull(RATE_HZ)
        if not self._controller.player.waiting:  # otherwise it was silence
            self.seconds += sum(map(len, stream.played)) / RATE_HZ
        stream.played.clear()
        self._controller.player.tick()


class Desk:
    """A window with a novel in it, and a listener."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path, engine: EngineFactory) -> None:
        settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        output = FakeOutput()
        self._qapp = qapp
        self.controller = SpeechController(engine, output, list_voices=voices_here)
        self._theme = Theme(qapp, Appearance.LIGHT)
        places, texts = ReadingPositions(folder / "places.json"), RecentTexts(folder / "texts")
        self.window = MainWindow(self.controller, settings, self._theme, texts, places)
        self.feature = ReaderFeature(self.window, self.controller, settings)
        self.listener = Listener(self.window, self.controller, output)
        qtbot.addWidget(self.window)
        self.window.show()
        self.controller.list_voices()
        self.controller.prepare()
        with qtbot.waitSignal(self.feature.opener.opened):
            self.window.file_requested.emit(write_epub(folder / "a.epub", book()))
        qtbot.waitUntil(lambda: self.controller.activity.readiness is Readiness.READY)

    def close(self) -> None:
        assert self.controller.shut_down(PATIENCE_MS)
        self._theme.deleteLater()
        self._qapp.setStyleSheet("")


Open = Callable[[EngineFactory], Desk]


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Open]:
    desks: list[Desk] = []

    def open_desk(engine: EngineFactory) -> Desk:
        desks.append(Desk(qtbot, qapp, tmp_path, engine))
        return desks[-1]

    yield open_desk
    for desk in desks:
        desk.close()


@pytest.mark.parametrize("engine", [LongEngine, pytest.param(partial(engine_for, STARTER), marks=pytest.mark.long)])
def test_a_novel_plays_with_flat_memory_use(opened: Open, engine: EngineFactory) -> None:
    made = engine()
    desk = opened(lambda: made)
    if isinstance(made, LongEngine):
        desk.controller.track_grew.connect(made.taken.release)
    desk.window.play()
    desk.listener.hear_until(60)
    before = private_bytes()
    desk.listener.hear_until(60 * MINUTES)
    assert private_bytes() - before < GROWS_BY_LESS_THAN_BYTES
    assert desk.feature.reading.place.heard


def test_the_first_words_of_a_novel_do_not_wait_for_the_others(opened: Open, qtbot: QtBot) -> None:
    desk = opened(partial(engine_for, STARTER))
    planned: list[Plan] = []
    desk.controller.track_grew.connect(lambda: planned.append(desk.controller.track.planned))
    desk.window.play()
    qtbot.waitUntil(lambda: bool(planned))
    desk.controller.stop()
    assert planned[0].utterances[-1].end < len(desk.controller.text) / 4
    assert planned[0].characters_left > len(desk.controller.text) / 2
