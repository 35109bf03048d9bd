"""A window with history and queue, a fake engine and a fake device."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library.feature import LibraryFeature
from app.library.history import HistoryListed
from app.library.queue_store import QueueListed
from app.library.records import HistoryEntry, QueueItem, QueueJob
from app.main_window import MainWindow
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from tests.app.fakes import RATE_HZ, TWO_MODELS, FakeEngine, FakeOutput, list_voices
from tests.patience import PATIENCE_MS


class Room:
    """A window whose state is stored in the folder; `entries` and `items` are the latest lists of history and queue."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path, in_charge: bool = True) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.engine, self.output = FakeEngine(), FakeOutput()
        self.speech = SpeechController(lambda: self.engine, self.output, list_voices=list_voices)
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.window = MainWindow(self.speech, self.settings, self.theme, RecentTexts(folder / "texts"))
        self.voices = self.window.page.header.voices
        self.voices.show_models(TWO_MODELS, "starter")
        self.other = FakeEngine()
        self.feature = LibraryFeature(
            self.window, self.speech, self.settings, lambda model: lambda: self.other, folder / "library", in_charge
        )
        self.entries: tuple[HistoryEntry, ...] = ()
        self.items: tuple[QueueItem, ...] = ()
        self.feature.library.history_listed.connect(self.note_entries)
        self.feature.library.queue_listed.connect(self.note_items)
        qtbot.addWidget(self.window)
        self.window.show()

    def note_entries(self, listed: HistoryListed) -> None:
        self.entries = listed.entries

    def note_items(self, listed: QueueListed) -> None:
        self.items = listed.items

    def type(self, text: str) -> None:
        self.window.page.editor.set_text(text)

    def line_up(self, text: str) -> None:
        """Add text to the queue without changing the open text."""
        self.feature.runner.add(QueueJob(replace(self.window.request, text=text), self.voices.speaking_model))

    def speak(self, text: str) -> None:
        """Speak text until its audio is saved."""
        self.type(text)
        self.window.play()
        self.qtbot.waitUntil(lambda: any(each.title == text and each.kept_bytes for each in self.entries))

    def hear_out(self) -> None:
        """Let the device play to the end of the track."""
        player = self.speech.player

        def all_is_heard() -> bool:
            self.output.stream.pull(RATE_HZ // 2)
            player.tick()
            return player.position >= self.speech.track.length

        self.qtbot.waitUntil(lambda: self.speech.track.whole)
        self.qtbot.waitUntil(all_is_heard)

    def states(self) -> list[tuple[str, str]]:
        return [(item.title, item.state.value) for item in self.items]

    def wait_for(self, *states: tuple[str, str]) -> None:
        self.qtbot.waitUntil(lambda: self.states() == list(states))

    def close(self) -> None:
        assert self.feature.shut_down(PATIENCE_MS)
        assert self.speech.shut_down(PATIENCE_MS)
        self.theme.deleteLater()
