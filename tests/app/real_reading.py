"""The real window reading along with tones, one for each word, on a real display and a real sound device.

    python -m tests.app.real_reading FOLDER

Once on the way it skips to the next sentence. Leaves `report.json`, which has the time when each word's mark was seen
and the place of its tone in the speech, the speech in `speech.npy`, and a picture in `window.png`.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSettings, QTimer, Slot
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.audio.player import Playback
from app.options import Options
from app.settings import Settings
from app.speech.activity import Activity
from app.start import leave
from app.system.threads import collected_between_events
from engine.speech import AudioChunk, Event, Plan, PlanEvent, SpeechRequest, SpokenWord, Utterance
from tests.app.fakes import FakeEngine

RATE_HZ = 24_000
WORDS_PER_SENTENCE = 6
SENTENCES_PER_UTTERANCE = 2
WORD_COUNT = 36
JUMP_AT = "tone20"
SKIPPED = ("tone21", "tone22", "tone23")
"""The rest of its sentence."""
TONE_SECONDS = 0.28
SILENCE_SECONDS = 0.05
MIN_HZ = 300.0
HZ_PER_WORD = 41.0
SETTLE_MS = 400
LOADED_AFTER_MS = 2500
"""Long enough for the parts that the window loads soon after it is shown; they would delay the first words."""


def words() -> list[str]:
    """Return words that are all different, so that a mark identifies its word."""
    return [f"tone{number}" for number in range(WORD_COUNT)]


def text_of(all_words: list[str]) -> str:
    groups = [all_words[at : at + WORDS_PER_SENTENCE] for at in range(0, len(all_words), WORDS_PER_SENTENCE)]
    return " ".join(f"{' '.join(group).capitalize()}." for group in groups)


def tone(number: int) -> np.ndarray:
    """Return a tone that no other word has, which fades in and out."""
    count = round(TONE_SECONDS * RATE_HZ)
    shape = np.minimum(1, np.minimum(np.arange(count), np.arange(count)[::-1]) / (0.003 * RATE_HZ))
    return 0.5 * shape * np.sin(2 * np.pi * (MIN_HZ + HZ_PER_WORD * number) * np.arange(count) / RATE_HZ)


class ToneEngine(FakeEngine):
    """Speaks each word as its tone, some sentences at a time."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        utterances = utterances_of(request.text)
        observe(PlanEvent(Plan(utterances)))
        number = 0
        for utterance in utterances:
            chunk = chunk_of(utterance, len(utterances), number)
            number += len(chunk.words)
            yield chunk


def utterances_of(text: str) -> tuple[Utterance, ...]:
    ends = [at + 1 for at, character in enumerate(text) if character == "."][SENTENCES_PER_UTTERANCE - 1 :: 2]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return tuple(
        Utterance(index, text[start:end], "x" * (end - start), start, end)
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    )


def chunk_of(utterance: Utterance, count: int, first: int) -> AudioChunk:
    sounds: list[np.ndarray] = []
    spoken: list[SpokenWord] = []
    at, sample = 0, 0
    for word in utterance.text.replace(".", "").split():
        start = utterance.text.index(word, at)
        at = start + len(word)
        sound = tone(first + len(spoken))
        begin, stop = utterance.start + start, utterance.start + at
        spoken.append(SpokenWord(begin, stop, sample, sample + len(sound)))
        sounds += [sound, np.zeros(round(SILENCE_SECONDS * RATE_HZ))]
        sample += sum(map(len, sounds[-2:]))
    return AudioChunk(utterance, count, np.concatenate(sounds).astype(np.float32), RATE_HZ, tuple(spoken))


class Watch(QObject):
    """Records when the mark of each word has been painted."""

    def __init__(self, application: Application, folder: Path) -> None:
        super().__init__()
        self.application, self.folder = application, folder
        self.edit = application.window.page.editor.edit
        self.marks: list[tuple[str, float]] = []
        self.edit.viewport().installEventFilter(self)
        application.controller.activity_changed.connect(self.on_activity)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            QTimer.singleShot(0, self.note)  # once it is painted
        return False

    @Slot()
    def note(self) -> None:
        selections = self.edit.extraSelections()
        word = selections[1].cursor.selectedText() if len(selections) == 2 else ""
        if word and (not self.marks or self.marks[-1][0] != word):
            self.marks.append((word, time.time()))
            if word == JUMP_AT:
                self.application.read_along.actions.sentence_forward.trigger()
            if len(self.marks) == WORD_COUNT // 2:
                self.application.window.grab().save(str(self.folder / "window.png"))

    @Slot(object)
    def on_activity(self, activity: Activity) -> None:
        if activity.playback is Playback.STOPPED and self.application.controller.track.whole:
            QTimer.singleShot(SETTLE_MS, self.end)

    @Slot()
    def end(self) -> None:
        track = self.application.controller.track
        text = self.application.controller.text
        spoken = [word for number in range(track.segment_count) for word in track.words.of_chunk(number)]
        places = [(text[word.start : word.end], word.start_sample, word.end_sample) for word in spoken]
        np.save(self.folder / "speech.npy", track.samples())
        (self.folder / "report.json").write_text(json.dumps({"marks": self.marks, "words": places}), encoding="utf-8")
        QApplication.quit()


def main() -> NoReturn:
    folder = Path(sys.argv[1])
    qt = QApplication(sys.argv[:1])
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    settings.text = text_of(words())
    application = Application(qt, Options(), settings, ToneEngine)
    watch = Watch(application, folder)
    with collected_between_events():
        application.open()
        QTimer.singleShot(LOADED_AFTER_MS, application.window.play)
        qt.exec()
        assert watch.marks
        leave(0 if application.close() else 1)


if __name__ == "__main__":
    main()
