"""The text in the Shape Speech window: its plan, the sentence on display, its edit with undo, and its audio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

from app.audio.sound_player import SoundPlayer
from app.editor import shaping
from app.editor.preview import SentencePreview, preview_of
from app.editor.text_edits import TextEdits, edit_of
from app.speech.engine_worker import (
    Ended,
    EngineTask,
    EngineWorker,
    ReadingsFound,
    Report,
    SpeechEdited,
    TextPlanned,
    Urgency,
    finding_readings,
    planning,
    speaking_edited,
)
from engine.errors import Canceled
from engine.runtime.presets import with_preset
from engine.speech import Plan, Preset, SpeechRequest, Utterance, UtteranceEdit, WrittenWord

SPEAK_AFTER_MS = 30
"""The time from a change until the sentence is spoken again; changes that follow sooner are spoken together."""


class EditorSession(QObject):
    """Shapes one sentence of a text at a time; every change is an undoable command and is saved immediately.

    `changed` is emitted when the sentence, its edit or its audio changes. `failed` carries errors, `say_like_found` the
    phonemes of words, for `say_like`, and `readings_found` a list of `WordReading`, for `find_readings`.
    """

    changed = Signal()
    failed = Signal(object)
    say_like_found = Signal(str)
    readings_found = Signal(object)

    def __init__(
        self, worker: EngineWorker, sounds: SoundPlayer, edits: TextEdits, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.undo = QUndoGroup(self)
        self.sounds = sounds
        self.symbols = ""
        """The phonemes of the model; empty while unknown."""
        self.play_changes = True
        self._worker, self._edits = worker, edits
        self._stacks: dict[UtteranceEdit, QUndoStack] = {}
        self._request: SpeechRequest | None = None
        self._plan = Plan(())
        self._index = -1
        self._wanted = 0
        self._spoken: SpeechEdited | None = None
        self._planning: EngineTask | None = None
        self._speaking: EngineTask | None = None
        self._listening: EngineTask | None = None
        self._finding: EngineTask | None = None
        self._plays = False
        self._later = QTimer(self, singleShot=True, interval=SPEAK_AFTER_MS)
        self._later.timeout.connect(self._speak)
        worker.reported.connect(self._on_report)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._request.text if self._request is not None else ""

    @property
    def utterance(self) -> Utterance | None:
        """The sentence as planned; None while there is none."""
        return self._plan.utterances[self._index] if 0 <= self._index < len(self._plan.utterances) else None

    @property
    def edit(self) -> UtteranceEdit:
        """The edit of the sentence; raises `LookupError` without a sentence."""
        if self.utterance is None:
            raise LookupError("There is no sentence.")
        return self._edits.at(self.text, self.utterance)

    @property
    def unchanged(self) -> UtteranceEdit:
        """The edit of the sentence without changes by the user, but with presets that the text asks for.

        Raises `LookupError` without a sentence.
        """
        if self.utterance is None:
            raise LookupError("There is no sentence.")
        return edit_of(self.utterance)

    @property
    def spoken(self) -> SpeechEdited | None:
        """The latest audio of the sentence, perhaps of an earlier edit."""
        return self._spoken

    @property
    def shaped(self) -> Utterance | None:
        """The sentence with its current phonemes; None until it was spoken with them."""
        spoken = self._spoken
        if spoken is None or self.utterance is None or spoken.utterance.edit is None:
            return None
        return spoken.utterance if spoken.utterance.edit.respellings == self.edit.respellings else None

    @property
    def preview(self) -> SentencePreview | None:
        """The durations, pitch and energy of the current edit; None until its phonemes were spoken."""
        return self.preview_of(self.edit) if self.shaped is not None else None

    @property
    def busy(self) -> bool:
        """True while the audio is older than the edit."""
        return self._later.isActive() or self._speaking is not None or self._planning is not None

    @property
    def has_previous(self) -> bool:
        """True if there is a sentence before this one."""
        return self._index > 0

    @property
    def has_next(self) -> bool:
        """True if there is a sentence after this one."""
        return self.utterance is not None and self._index + 1 < len(self._plan.utterances)

    def preview_of(self, edit: UtteranceEdit) -> SentencePreview | None:
        """Return the preview of a different edit with the current phonemes."""
        return preview_of(self._spoken, edit) if self._spoken is not None else None

    def open(self, request: SpeechRequest, character: int) -> None:
        """Show the sentence at a character of a text."""
        request = replace(request, start=0, end=None, edits=())
        if request != self._request:
            self._clear()
            self._request = request
        self._go_to(character)

    def forget_plan(self) -> None:
        """Plan the text again when it is next opened; the undo stacks of sentences with the same phonemes stay."""
        self.close()
        self._plan, self._index, self._spoken = Plan(()), -1, None
        self.changed.emit()

    def close(self) -> None:
        """Stop generating and playing."""
        self._later.stop()
        self.sounds.stop()
        for task in (self._planning, self._speaking, self._listening, self._finding):
            if task is not None:
                task.cancel.set()
        self._planning = self._speaking = self._listening = self._finding = None

    @Slot()
    def show_previous(self) -> None:
        """Show the sentence before."""
        if self.has_previous:
            self._show(self._index - 1)

    @Slot()
    def show_next(self) -> None:
        """Show the sentence after."""
        if self.has_next:
            self._show(self._index + 1)
            if not self.has_next and not self._plan.whole and self.utterance is not None:
                self._go_to(self.utterance.start)

    def change(self, edit: UtteranceEdit, title: str) -> None:
        """Change the edit of the sentence, as a command with a title."""
        if self.utterance is not None and edit != self.edit and (stack := self.undo.activeStack()) is not None:
            stack.push(_Change(self, self.utterance, self.edit, edit, title))

    def put(self, utterance: Utterance, edit: UtteranceEdit) -> None:
        """Store an edit, and speak the sentence with it soon; commands use this."""
        self._edits.put(self.text, utterance, edit)
        if utterance == self.utterance:
            self._plays = self.play_changes
            self._later.start()
            self.changed.emit()

    @Slot()
    def reset_all(self) -> None:
        """Return to the model's own speech."""
        if self.utterance is not None:
            self.change(self.unchanged, "Reset All")

    @Slot()
    def play(self) -> None:
        """Play the sentence, or stop it; the audio of the latest edit is awaited."""
        if self.sounds.playing:
            self.sounds.stop()
        elif self.busy:
            self._plays = True
        elif self._spoken is not None:
            self.sounds.play(self._spoken.chunk.samples, self._spoken.chunk.sample_rate_hz)
        else:
            self._plays = True
            self._speak()

    def say_like(self, words: str) -> None:
        """Find the phonemes of words in the voice of the text; `say_like_found` carries them."""
        if self._request is not None:
            if self._listening is not None:
                self._listening.cancel.set()
            request = replace(self._request, text=words)
            self._listening = self._worker.start_task(
                EngineTask(planning(request), Urgency.AT_ONCE, self._worker.present)
            )

    def find_readings(self, word: WrittenWord) -> None:
        """Find the pronunciations that a word of the sentence may have; `readings_found` carries them."""
        if self._request is not None and self.utterance is not None:
            if self._finding is not None:
                self._finding.cancel.set()
            work = finding_readings(self.text[word.start : word.end], self._request, self.utterance.voice)
            self._finding = self._worker.start_task(EngineTask(work, Urgency.AT_ONCE, self._worker.present))

    def _clear(self) -> None:
        self.close()
        for stack in self._stacks.values():
            self.undo.removeStack(stack)
            stack.deleteLater()
        self._stacks.clear()
        self._plan, self._index, self._spoken = Plan(()), -1, None

    def _go_to(self, character: int) -> None:
        self._wanted = character
        ends = [each.end for each in self._plan.utterances]
        at = sum(1 for end in ends if end <= character)
        if at + 1 < len(ends) or (ends and self._plan.whole):
            self._show(min(at, len(ends) - 1))
        elif self._request is not None:
            if self._planning is not None:
                self._planning.cancel.set()
            work = planning(self._request, character)
            self._planning = self._worker.start_task(EngineTask(work, Urgency.AT_ONCE, self._worker.present))
            self.changed.emit()

    def _show(self, index: int) -> None:
        same = index == self._index
        self._index = index
        if self.unchanged not in self._stacks:
            self._stacks[self.unchanged] = QUndoStack(self.undo)
        self.undo.setActiveStack(self._stacks[self.unchanged])
        if not same:
            self._spoken = None
            self._plays = False
            self.sounds.stop()
        if self._spoken is None or self._spoken.utterance.edit != self.edit:
            self._speak()
        self.changed.emit()

    @Slot()
    def _speak(self) -> None:
        self._later.stop()
        if self._speaking is not None:
            self._speaking.cancel.set()
        if self.utterance is None or self._request is None:
            return
        work = speaking_edited(self.utterance, self._request, self.edit)
        self._speaking = self._worker.start_task(EngineTask(work, Urgency.AT_ONCE, self._worker.present))

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if task not in (self._planning, self._speaking, self._listening, self._finding):
            return
        match report:
            case TextPlanned(plan, symbols) if task is self._listening:
                self.say_like_found.emit(" ".join(each.phonemes for each in plan.utterances))
            case TextPlanned(plan, symbols):
                self._plan, self.symbols = plan, symbols
            case SpeechEdited():
                self._spoken = report
            case ReadingsFound(readings):
                self.readings_found.emit(readings)
            case Ended(error):
                self._end(task, error)

    def _end(self, task: EngineTask, error: Exception | None) -> None:
        if task is self._planning:
            self._planning = None
            if error is None and self._plan.utterances:
                at = sum(1 for each in self._plan.utterances if each.end <= self._wanted)
                self._show(min(at, len(self._plan.utterances) - 1))
        elif task is self._speaking:
            self._speaking = None
            if error is None and self._plays and self._spoken is not None:
                self.sounds.play(self._spoken.chunk.samples, self._spoken.chunk.sample_rate_hz)
            self._plays = False
        elif task is self._listening:
            self._listening = None
        else:
            self._finding = None
        if error is not None and not isinstance(error, Canceled):
            self.failed.emit(error)
        self.changed.emit()

    def apply(self, preset: Preset, first: int, end: int) -> None:
        """Apply a preset to phonemes."""
        if self.shaped is not None:
            phonemes = self.shaped.phonemes
            edit = with_preset(self.edit, preset, phonemes, first, end)
            self.change(edit, shaping.PRESET_TITLES[preset])


class _Change(QUndoCommand):
    """The change of a sentence's edit, with the edits before and after it."""

    def __init__(
        self, session: EditorSession, utterance: Utterance, before: UtteranceEdit, after: UtteranceEdit, title: str
    ) -> None:
        super().__init__(title)
        self._put: Callable[[UtteranceEdit], None] = lambda edit: session.put(utterance, edit)
        self._before, self._after = before, after

    def redo(self) -> None:
        """Apply the new edit."""
        self._put(self._after)

    def undo(self) -> None:
        """Apply the edit before."""
        self._put(self._before)
