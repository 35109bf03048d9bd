"""A window that types, speaks, and queues files without a pause, as a process that tests kill.

    python -m tests.app.busy_window FOLDER FIRST_NUMBER

Everything has a number: a word is typed every 50 ms, a file queued every 200 ms, a text spoken every 700 ms. Each is
printed when done, such as `queued 7`, and once more when it must survive the window, as `kept queued 7`: typed words
after 2 s of the window's own timers, however long these take on a busy machine, queued files and spoken texts when the
window lists them. With a negative number nothing new is done, but the queue works through its items, and `idle` is
printed when all are generated.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.library.feature import LibraryFeature
from app.library.history import HistoryListed
from app.library.queue_store import QueueListed
from app.library.records import QueueJob, QueueState
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
TYPING_KEPT_AFTER_MS = 2000
STARTER = "starter"


class SlowEngine(FakeEngine):
    """Generates two seconds of noise for each sentence, which take a moment to generate and to write."""

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
    """The window and the actions in it."""

    def __init__(self, qt: QApplication, folder: Path, first_number: int) -> None:
        settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.speech = SpeechController(SlowEngine, FakeOutput(), list_voices=list_voices)
        theme = Theme(qt, Appearance.LIGHT)
        self.window = MainWindow(self.speech, settings, theme, RecentTexts(folder / "texts"))
        self.feature = LibraryFeature(self.window, self.speech, settings, lambda model: SlowEngine, folder / "library")
        self.folder, self.numbers = folder, dict.fromkeys(EVERY_MS, first_number)
        self.listed: set[tuple[str, int]] = set()
        self.speech.list_voices()
        self.window.show()

    def begin_when_it_can_be_kept(self) -> None:
        """Begin once the library is open."""
        self.feature.library.queue_listed.connect(self.begin, Qt.ConnectionType.SingleShotConnection)

    def begin(self, _: QueueListed) -> None:
        """Start the timers of all actions."""
        self.window.page.editor.set_text("")
        self.feature.library.queue_listed.connect(self.note_items)
        self.feature.library.history_listed.connect(self.note_entries)
        self.timers = [QTimer(interval=every_ms) for every_ms in EVERY_MS.values()]
        for timer, what in zip(self.timers, EVERY_MS, strict=True):
            timer.timeout.connect(partial(self.do, what))
            timer.start()

    def do(self, what: str) -> None:
        """Perform the next action of a kind, and print it."""
        number = self.numbers[what]
        self.numbers[what] += 1
        text = " ".join([f"Text {number}."] * SENTENCES)
        if what == "typed":
            QTest.keyClicks(self.window.page.editor.edit, f"{number} ")
            QTimer.singleShot(TYPING_KEPT_AFTER_MS, partial(self.report, "kept typed", number))
        elif what == "queued":
            target = self.folder / "files" / f"{number}.flac"
            self.feature.runner.add(QueueJob(SpeechRequest(text, "af_heart"), STARTER, target))
        else:
            self.speech.speak(SpeechRequest(text, "am_adam"))
        self.report(what, number)

    def note_items(self, listed: QueueListed) -> None:
        """Print the files that are now in the queue."""
        self.note("queued", {int(item.job.target.stem) for item in listed.items if item.job.target})

    def note_entries(self, listed: HistoryListed) -> None:
        """Print the texts that are now in the history."""
        self.note("spoken", {number_in(entry.title) for entry in listed.entries})

    def note(self, what: str, numbers: set[int]) -> None:
        """Print once for each of these that it is stored."""
        new = {(what, number) for number in numbers} - self.listed
        self.listed |= new
        for _, number in sorted(new):
            self.report(f"kept {what}", number)

    def report(self, what: str, number: int) -> None:
        """Print a line."""
        print(what, number, flush=True)  # noqa: T201

    def tell_when_idle(self) -> None:
        """Print once everything in the queue is generated."""
        self.feature.library.queue_listed.connect(self.on_queue)

    def on_queue(self, listed: QueueListed) -> None:
        """Check whether everything is generated."""
        if all(item.state is QueueState.DONE for item in listed.items):
            self.report("idle", len(listed.items))


def number_in(title: str) -> int:
    """Return the number of a spoken text, from its title."""
    return int(title.split()[1].strip("."))


def main(folder: Path, first_number: int) -> None:
    """Be busy until killed."""
    qt = QApplication([])
    busy = BusyWindow(qt, folder, first_number)
    if first_number < 0:
        busy.tell_when_idle()
    else:
        busy.begin_when_it_can_be_kept()
    qt.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
