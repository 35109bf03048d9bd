"""Finds the generated sentences that a change of the user's lexicon has made outdated, by planning their text again."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.speech.controller import SpeechController
from app.speech.engine_worker import Ended, EngineTask, Means, Report, TextPlanned, Urgency, planning
from app.speech.heard_speech import HeardSpeech
from engine.errors import Canceled, NothingToSpeak
from engine.speech import Plan, SpeechRequest, Utterance
from engine.text.sentences import sentence_at

PART_CHARACTERS = 2000
"""The shortest part to plan in one go: more urgent work waits for some 50 ms."""


class OutdatedPronunciations(QObject):
    """Drops the outdated part of the current speech after a change of the lexicon, so that it is generated again.

    Sentences whose phonemes are the same stay, or come from the cache. `found` carries the outdated utterances once all
    have been compared. A plan that begins elsewhere divides sentences differently, so phonemes are compared by word.
    """

    found = Signal(object)

    def __init__(self, speech: SpeechController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speech = speech
        self._worker = speech.engine.worker
        self._compared: tuple[HeardSpeech, tuple[Utterance, ...]] = speech.speech, ()
        self._task: EngineTask | None = None
        self._words: list[tuple[int, str]] = []
        self._worker.reported.connect(self._on_report)

    @property
    def busy(self) -> bool:
        """True until the utterances have been compared."""
        return self._task is not None

    def look(self) -> None:
        """Compare the current speech with the lexicon as it is now."""
        if self._task is not None:
            self._task.cancel.set()
            self._task = None
        speech = self._speech.speech
        if speech.request is None or self._speech.saving.holds(speech):
            speech.superseded = True  # a file is written as it was requested
            return
        self._speech.plan_again()
        utterances = tuple(segment.utterance for segment in speech.track.segments)
        self._compared, self._words = (speech, utterances), []
        request, parts = speech.request, parts_of(speech.text, utterances)
        work = EngineTask(lambda means: _planned(request, parts, means), Urgency.SPEECH, self._worker.present)
        self._task = self._worker.start_task(work)

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if task is not self._task:
            return
        if isinstance(report, TextPlanned):
            self._words += (
                (word.start, sounding(utterance.phonemes[word.first_phoneme : word.end_phoneme]))
                for utterance in report.plan.utterances
                for word in utterance.words
            )
        elif isinstance(report, Ended):
            self._end(report.error)

    def _end(self, error: Exception | None) -> None:
        self._task = None
        speech, utterances = self._compared
        if error is None:
            outdated = _outdated(utterances, self._words)
            if speech is self._speech.speech:
                self._speech.drop(outdated)
            self.found.emit(outdated)
        elif not isinstance(error, Canceled):
            speech.superseded = True


def parts_of(text: str, utterances: Sequence[Utterance]) -> tuple[tuple[int, int], ...]:
    """Return the ranges of a text that consist of these utterances, in order; each ends with a sentence or a gap."""
    parts: list[tuple[int, int]] = []
    for utterance in utterances:
        start, end = parts[-1] if parts else (0, 0)
        inside = bool(parts) and sentence_at(text, utterance.start) < end
        adjacent = bool(parts) and not text[end : utterance.start].strip()
        if inside or (adjacent and end - start < PART_CHARACTERS):
            parts[-1] = start, utterance.end
        else:
            parts.append((utterance.start, utterance.end))
    return tuple(parts)


def sounding(phonemes: str) -> str:
    """Return phonemes without spaces and punctuation."""
    return "".join(each for each in phonemes if unicodedata.category(each)[0] not in "PZ")


def _planned(request: SpeechRequest, parts: Sequence[tuple[int, int]], means: Means) -> Iterator[TextPlanned]:
    for start, end in parts:
        try:
            yield from planning(replace(request, start=start, end=end, edits=()))(means)  # type: ignore[misc]
        except NothingToSpeak:
            yield TextPlanned(Plan(()), "")


def _outdated(utterances: Sequence[Utterance], words: Sequence[tuple[int, str]]) -> tuple[Utterance, ...]:
    """Return the utterances whose phonemes, before any edits, differ from those of the words that begin in them."""
    found, coming = [], iter(sorted(words))
    word = next(coming, None)
    for utterance in sorted(utterances, key=lambda each: each.start):
        now = ""
        while word is not None and word[0] < utterance.end:
            now += word[1] if word[0] >= utterance.start else ""
            word = next(coming, None)
        planned = utterance.edit.phonemes if utterance.edit is not None else utterance.phonemes
        if sounding(planned) != now:
            found.append(utterance)
    return tuple(found)
