"""A window in which somebody types, speaks, and queues files without a pause, as a process that can be killed.

    python -m tests.app.busy_window FOLDER FIRST_NUMBER

Everything has a number: a word is typed every 50 ms, a file queued every 200 ms, a text spoken every 700 ms. Each is
printed as it is done, such as `queued 7`. With a negative number nothing new is done, but the queue works through what
is there, and prints `idle` when that is all made.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.library.feature import LibraryFeature
from app.library.queue_store import QueueListed
from app.library.records import State, Wish
from app.main_window import MainWindow
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from engine.speech import AudioChunk, Event, Plan, PlanEvent, SpeechRequest
from tests.app.fakes import FakeEngine, FakeOutput, list_voices, utterances_of

RATE_HZ = 24_000
SAMPLES = 2 * RATE_HZ
SENTENCES = 3
EVERY_MS = {"typed": 50, "queued": 200, "spoken": 700}
STARTER = "starter"


class SlowEngine(FakeEngine):
    """Two seconds of noise for each sentence, which take a moment to make and to write."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        utterances = utterances_of(request.text)
        observe(PlanEvent(Plan(utterances)))
        for utterance in utterances:
            time.sleep(0.02)
            noise = np.random.default_rng(utterance.index).uniform(-0.9, 0.9, SAMPLES).astype(np.float32)
            yield AudioChunk(utterance, len(utterances), noise, RATE_HZ)


class BusyWindow:
    """The window and what is done in it."""

    def __init__(self, qt: QApplication, folder: Path, first_number: int) -> None:
        settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.speech = SpeechController(SlowEngine, FakeOutput(), list_voices=list_voices)
        theme = Theme(qt, Appearance.LIGHT)
        self.window = MainWindow(self.speech, settings, theme, RecentTexts(folder / "texts"))
        self.feature = LibraryFeature(
            self.window, self.speech, settings, theme, lambda model: SlowEngine, folder / "library"
        )
        self.folder, self.numbers = folder, dict.fromkeys(EVERY_MS, first_number)
        self.speech.list_voices()
        self.window.show()

    def begin(self) -> None:
        """Do everything in its time."""
        self.window.page.editor.set_text("")
        self.timers = [QTimer(interval=every_ms) for every_ms in EVERY_MS.values()]
        for timer, what in zip(self.timers, EVERY_MS, strict=True):
            timer.timeout.connect(partial(self.do, what))
            timer.start()

    def do(self, what: str) -> None:
        """Do the next one of a kind, and say so."""
        number = self.numbers[what]
        self.numbers[what] += 1
        text = " ".join([f"Text {number}."] * SENTENCES)
        if what == "typed":
            QTest.keyClicks(self.window.page.editor.edit, f"{number} ")
        elif what == "queued":
            target = self.folder / "files" / f"{number}.flac"
            self.feature.runner.add(Wish(SpeechRequest(text, "af_heart"), STARTER, target))
        else:
            self.speech.speak(SpeechRequest(text, "am_adam"))
        print(what, number, flush=True)  # noqa: T201

    def tell_when_idle(self) -> None:
        """Print once everything in the queue is made."""
        self.feature.library.queue_listed.connect(self.on_queue)

    def on_queue(self, listed: QueueListed) -> None:
        """Look whether everything is made."""
        if all(item.state is State.DONE for item in listed.items):
            print("idle", len(listed.items), flush=True)  # noqa: T201


def main(folder: Path, first_number: int) -> None:
    """Be busy until killed."""
    qt = QApplication([])
    busy = BusyWindow(qt, folder, first_number)
    if first_number < 0:
        busy.tell_when_idle()
    else:
        busy.begin()
    qt.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
