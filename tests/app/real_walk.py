"""A walk through the real window with keys and mouse, on a real display and sound device, run as a process.

    python -m tests.app.real_walk SCENARIO FOLDER

`report.json` has what a user would have seen and heard at each step. Its engine hums, a second for each sentence.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QPointF, QSettings, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from app.application import Application
from app.audio.player import Playback
from app.export.dialog import ExportDialog
from app.options import Options
from app.settings import Settings
from app.speech.voice_list import CHOICE_ROLE
from app.start import leave
from app.system.threads import collected_between_events
from app.voices.panel import VoicePanel
from engine.errors import OutputError
from engine.speech import AudioChunk, Event, Plan, PlanEvent, SpeechRequest, SpokenWord
from engine.text.sentences import sentence_at
from tests.app.fakes import FakeEngine, utterances_of
from tests.patience import PATIENCE_SECONDS

RATE_HZ = 24_000
CHAPTERS = 4
SENTENCES = 12
OWN_TEXT = "This text is mine. I have typed it myself. It has three sentences."
CONTROL = Qt.KeyboardModifier.ControlModifier
Steps = Iterator[Callable[[], bool]]


def sentence(chapter: int, number: int) -> str:
    return f"Chapter {chapter} says sentence {number}."


def write_book(path: Path, title: str, sentences: int = SENTENCES) -> Path:
    chapters = range(1, CHAPTERS + 1)
    parts = (
        f"<h1>{title} {each}</h1><p>{' '.join(sentence(each, number) for number in range(sentences))}</p>"
        for each in chapters
    )
    path.write_text(f"<html><head><title>{title}</title></head><body>{''.join(parts)}</body></html>")
    return path


class HummingEngine(FakeEngine):
    """Hums, and reports the time of each word, as the real engine does."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        plan = Plan(utterances_of(request.part)).moved(request.start)
        observe(PlanEvent(plan))
        for each in plan.utterances:
            hum = 0.3 * np.sin(np.arange(RATE_HZ) * 0.05 * (1 + each.index % 5)).astype(np.float32)
            words, place = each.text.split(), 0
            spoken: list[SpokenWord] = []
            for number, word in enumerate(words):
                place = each.text.index(word, place)
                samples = (RATE_HZ * number // len(words), RATE_HZ * (number + 1) // len(words))
                spoken.append(SpokenWord(each.start + place, each.start + place + len(word), *samples))
                place += len(word)
            yield AudioChunk(each, len(plan.utterances), hum, RATE_HZ, tuple(spoken))
            time.sleep(0.01)


class Walk:
    """The scenarios, one method each: each yields the events that it waits for."""

    def __init__(self, application: Application, folder: Path) -> None:
        self.application, self.folder = application, folder
        self.window, self.page = application.window, application.window.page
        self.reading, self.speech = application.window.reading, application.controller
        self.report: dict[str, Any] = {}
        self._steps: Steps = iter(())
        self._awaited: Callable[[], bool] = lambda: True
        self._since = time.monotonic()
        self._timer = QTimer(interval=10)
        self._timer.timeout.connect(self._step)

    def begin(self, steps: Steps) -> None:
        self._steps = steps
        self._timer.start()

    def _step(self) -> None:
        if self._awaited():
            awaited = next(self._steps, None)
            if awaited is None:
                self._timer.stop()
                self.end()
            else:
                self._awaited, self._since = awaited, time.monotonic()
        elif time.monotonic() - self._since > PATIENCE_SECONDS / 6:
            raise SystemExit(f"Still waiting for {self._awaited.__qualname__} after {self.report}; now {self.sees()}")

    def end(self) -> None:
        (self.folder / "report.json").write_text(json.dumps(self.report), encoding="utf-8")
        self.window.grab().save(str(self.folder / "window.png"))
        QApplication.quit()

    # User actions.

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def play(self) -> None:
        self.key(Qt.Key.Key_Return, CONTROL)

    def click_in_book(self, words: str) -> None:
        book = self.page.book
        start = book.text.index(words)
        book.select(start, start)  # the user scrolls there
        position = book.edit.positions.position(start + 3)  # inside the first word
        cursor = book.edit.textCursor()
        cursor.setPosition(position)
        place = book.edit.cursorRect(cursor).center()
        QTest.mouseClick(book.edit.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def click_chapter(self, number: int) -> None:
        chapters = self.application.reader.panel.list
        item = chapters.item(number)
        chapters.scrollToItem(item)
        place = chapters.visualItemRect(item)
        QTest.mouseClick(chapters.viewport(), Qt.MouseButton.LeftButton, pos=place.center(), delay=1)

    def drop(self, path: Path) -> None:
        content = QMimeData()
        content.setUrls([QUrl.fromLocalFile(str(path))])
        buttons, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        place, copy = self.window.rect().center(), Qt.DropAction.CopyAction
        QApplication.sendEvent(self.window, QDragEnterEvent(place, copy, content, buttons, none))
        drop = QDropEvent(QPointF(place), copy, content, buttons, none, QEvent.Type.Drop)
        QApplication.sendEvent(self.window, drop)

    # Everything the user sees and hears.

    def sees(self) -> dict[str, Any]:
        sentences = self.page.book.marks if self.page.view is self.page.book else self.page.editor.marks
        return {
            "shown": self.page.view.text[:40],
            "playing": self.speech.playback.value,
            "heard": self.heard_sentence(),
            "title": self.page.playing.toolTip() if self.page.playing.isVisible() else "",
            "button": self.page.header.speak_button.text(),
            "sound": self.page.player.track.length,
            "followed": not sentences.left,
        }

    def heard_sentence(self) -> str:
        """Return the sentence that is playing, or would be next."""
        track, position = self.speech.track, self.speech.player.position
        segment = track.segment_at(position)
        return segment.utterance.text if segment is not None and self.speech.request is not None else ""

    def hears(self, words: str) -> Callable[[], bool]:
        return lambda: (
            self.speech.playback is Playback.PLAYING
            and words in self.heard_sentence()
            and self.speech.player.position > 0
        )

    def ready(self) -> bool:
        if not self.window.isActiveWindow():
            self.window.activateWindow()
            return False
        return self.page.header.voices.known and self.speech.activity.readiness.value == "ready"

    def opened(self, title: str) -> Callable[[], bool]:
        return lambda: self.reading.document is not None and self.reading.document.title == title

    # The scenarios.

    def read_on(self) -> Steps:
        """Stop and resume; choose a chapter; click; undo; drop a book; find; items beside the book."""
        report = self.report
        yield self.ready
        QTest.keyClicks(self.page.editor.edit, "Typed. ")
        self.window.file_requested.emit(write_book(self.folder / "a.html", "First"))
        yield self.opened("First")
        self.play()
        yield self.hears(sentence(1, 3))
        self.key(Qt.Key.Key_Escape)
        report["stopped"] = self.sees()
        self.play()
        yield self.hears("Chapter 1")
        report["went on"] = self.sees()
        self.click_chapter(2)
        yield self.hears("Chapter 3")
        report["chapter chosen"] = self.sees()
        self.click_in_book(sentence(3, 8))
        yield self.hears(sentence(3, 8))
        report["clicked"] = self.sees()
        self.page.view.setFocus()
        self.key(Qt.Key.Key_Z, CONTROL)
        report["undone"] = self.sees()
        self.key(Qt.Key.Key_Escape)
        self.click_in_book(sentence(3, 2))
        yield self.hears(sentence(3, 2))
        report["clicked after stop"] = self.sees()
        self.key(Qt.Key.Key_Escape)
        yield from self.find_and_play()
        yield from self.hear_items()
        self.drop(write_book(self.folder / "b.html", "Second"))
        yield self.opened("Second")
        report["dropped"] = self.sees()
        self.window.file_requested.emit(self.folder / "a.html")
        yield self.opened("First")
        report["opened again"] = self.sees()
        self.play()
        yield self.hears("Chapter 3")
        report["opened again and played"] = self.sees()
        self.key(Qt.Key.Key_Escape)
        self.application.reader.close_document()
        report["closed"] = self.sees()

    def find_and_play(self) -> Steps:
        self.key(Qt.Key.Key_F, CONTROL)
        QTest.keyClicks(QApplication.focusWidget(), "sentence 6")
        self.key(Qt.Key.Key_Escape)
        self.report["found"] = self.sees()
        self.play()
        yield self.hears("Chapter 3")
        self.report["found and played"] = self.sees()
        self.key(Qt.Key.Key_Escape)

    def hear_items(self) -> Steps:
        """Play an item of the queue, then one of the history, beside the book."""
        library = self.application.library
        self.report["place before items"] = self.reading.character
        library.add_document(write_book(self.folder / "c.html", "Queued"))
        yield self.hears("Queued 1")
        self.report["queue"] = self.sees()
        self.key(Qt.Key.Key_Escape)
        yield lambda: self.speech.playback is Playback.STOPPED
        entries = library.history.entries
        yield lambda: entries.model().rowCount() > 1
        library.history.hear_requested.emit(entries.model().things[-1])
        yield lambda: self.speech.playback is Playback.PLAYING
        self.report["history"] = self.sees()
        self.key(Qt.Key.Key_Escape)
        self.report["place after items"] = self.reading.character

    def look_around(self) -> Steps:
        """Open everything beside the text: progress, diagnostics, voices, saving, failures, focus mode, the sizes."""
        report, page, window = self.report, self.page, self.window
        yield self.ready
        window.file_requested.emit(write_book(self.folder / "a.html", "First", 5 * SENTENCES))
        yield self.opened("First")
        self.click_chapter(2)
        report["progress"] = self.reading.progress
        self.play()
        yield self.hears("Chapter 3")
        yield lambda: "diagnostics" in vars(self.application)
        diagnostics = self.application.diagnostics
        diagnostics.open()
        yield lambda: diagnostics.window.shown
        report["diagnosed"] = diagnostics.busy
        report["waveform beside diagnostics"] = page.player.wave.isVisible()
        diagnostics.window.close()
        window.activateWindow()
        yield window.isActiveWindow
        report["chip"] = diagnostics.chip.isVisible()
        yield from self.scroll_away()
        header = page.header.speed.reset_button.isVisible()
        self.key(Qt.Key.Key_F, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        report["focus"] = page.header.isVisible()
        self.key(Qt.Key.Key_Escape)
        self.key(Qt.Key.Key_Escape)
        yield lambda: self.speech.playback is Playback.STOPPED and page.header.isVisible()
        report["header after focus"] = page.header.speed.reset_button.isVisible() == header
        yield from self.choose_a_voice()
        yield from self.save()
        window.show_failure(OutputError("The first.", "Do this."))
        window.show_failure(OutputError("The second.", "Do that."))
        report["failures"] = [page.banner.message.text if page.banner.message else "", len(page.banner.messages)]

    def scroll_away(self) -> Steps:
        """Scroll away: the way back appears once the word is out of sight, the drop hint while a file is dragged."""
        bar, chip = self.page.view.edit.verticalScrollBar(), self.page.view.chip
        self.page.side_bar.close_panel()  # there is no room beside it
        self.window.resize(640, 560)
        yield lambda: bar.maximum() > 0
        self.report["way back while in sight"] = chip.isVisible()
        bar.triggerAction(bar.SliderAction.SliderToMaximum)
        yield chip.isVisible
        chip.click()
        yield lambda: not chip.isVisible()
        self.window.resize(920, 640)

    def choose_a_voice(self) -> Steps:
        """Choose a voice by name, with a click."""
        panel = self.application.voices.panel
        self.page.side_bar.open(panel)
        panel.search.setFocus()
        QTest.keyClicks(panel.search, "george")
        row = next(number for number in range(panel.rows.rowCount()) if panel.rows.choices[0] == _choice(panel, number))
        place = panel.voices.visualRect(panel.rows.index(row)).center()
        QTest.mouseClick(panel.voices.viewport(), Qt.MouseButton.LeftButton, pos=place)
        self.report["voice"] = self.page.header.voices.voice
        yield lambda: True

    def save(self) -> Steps:
        """Save: the dialog names the file, asks before it replaces one, and the strip leads to the file."""
        taken = self.folder / "taken.wav"
        taken.write_bytes(b"old")
        self.key(Qt.Key.Key_S, CONTROL)
        yield lambda: self.window.findChild(ExportDialog) is not None
        dialog = self.window.findChild(ExportDialog)
        self.report["scopes"] = [dialog.scopes.itemText(number) for number in range(dialog.scopes.count())]
        dialog.formats.setCurrentIndex(dialog.formats.findData(".wav"))
        dialog.place.setText(str(taken))
        QTest.keyClick(dialog.place, Qt.Key.Key_Return)
        yield lambda: self.window.findChild(QMessageBox) is not None or dialog.findChild(QMessageBox) is not None
        question = dialog.findChild(QMessageBox) or self.window.findChild(QMessageBox)
        self.report["asked"] = question.text()
        QTest.keyClick(question, Qt.Key.Key_Return)
        self.report["after Return"] = taken.read_bytes().decode()
        dialog.place.setText(str(self.folder / "new.wav"))
        QTest.keyClick(dialog.place, Qt.Key.Key_Return)
        yield (self.folder / "new.wav").exists
        yield self.page.save_strip.reveal_button.isVisible

    def read_until_killed(self) -> Steps:
        """Play until the process is killed."""
        yield self.ready
        self.window.file_requested.emit(write_book(self.folder / "a.html", "First"))
        yield self.opened("First")
        self.reading.go_to(1)
        self.play()
        yield self.hears(sentence(2, 4))
        (self.folder / "heard").write_text(self.heard_sentence(), encoding="utf-8")
        os.kill(os.getpid(), 9)
        yield lambda: False

    def go_on_after_that(self) -> Steps:
        """Resume after that: the book comes back; play it."""
        yield self.ready
        yield self.opened("First")
        self.play()
        yield self.hears("Chapter 2")
        self.report["went on"] = self.sees()

    def write_own(self) -> Steps:
        """Write text: the greeting disappears, edits elsewhere, text pasted over the spoken one."""
        report, edit = self.report, self.page.editor.edit
        yield self.ready
        edit.setFocus()
        report["greeted"] = self.sees()
        QTest.keyClicks(edit, OWN_TEXT)
        report["typed"] = self.page.editor.text
        self.play()
        yield self.hears("typed it")
        self.key(Qt.Key.Key_Escape)
        self.key(Qt.Key.Key_Home, CONTROL)
        QTest.keyClicks(edit, "Before. ")
        self.play()
        yield self.hears("typed it")
        report["after an edit"] = self.sees()
        self.key(Qt.Key.Key_A, CONTROL)
        QTest.keyClicks(edit, "Over it. Something else is here.")
        report["typed over"] = self.sees()
        self.reading.play_from(sentence_at(self.page.editor.text, 15))
        yield self.hears("Something else")
        report["clicked in it"] = self.sees()
        self.key(Qt.Key.Key_Escape)

    def read_two_megabytes(self) -> Steps:
        """Read 34 hours: shown, scrolled, stopped; the next speech begins as quickly as any."""
        yield self.ready
        words = "The whale went down again, and nobody saw where it came up. "
        self.page.editor.set_text(words * (2_000_000 // len(words)))
        self.play()
        yield lambda: self.speech.player.position > 0
        zoom = self.page.player.waveform.zoom
        zoom.zoom_in()
        zoom.scroll_to(zoom.shown.total // 2)
        zoom.scroll_to(0)
        zoom.show_whole()
        self.report["long"] = {"expected hours": self.speech.track.expected_length() / RATE_HZ / 3600}
        self.key(Qt.Key.Key_Escape)
        began = time.monotonic()
        self.page.editor.set_text("Short. And done.")
        self.play()
        yield self.hears("Short")
        self.report["next after seconds"] = time.monotonic() - began
        self.key(Qt.Key.Key_Escape)


def _choice(panel: VoicePanel, row: int) -> object:
    return panel.rows.data(panel.rows.index(row), CHOICE_ROLE)


def main() -> NoReturn:
    scenario, folder = sys.argv[1], Path(sys.argv[2])
    qt = QApplication(sys.argv[:1])
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    if scenario != "write_own":
        settings.text = settings.text or OWN_TEXT
    application = Application(qt, Options(), settings, HummingEngine)
    walk = Walk(application, folder)
    with collected_between_events():
        application.open()
        walk.begin(getattr(walk, scenario)())
        qt.exec()
        leave(0 if application.close() else 1)


if __name__ == "__main__":
    main()
