"""A round in which each of several voices speaks the same sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal, Slot

from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.speech.voice_choice import Choice


class SentenceRound(QObject):
    """Goes on to the next voice when one was heard to its end, and ends when somebody stops it or hears another.

    `changed` carries the `Choice` that speaks now, or None at the end; `hear` lets one be heard.
    """

    changed = Signal(object)

    def __init__(self, speech: SpeechController, hear: Callable[[Choice], None], parent: QObject) -> None:
        super().__init__(parent)
        self._hear = hear
        self._left: list[Choice] = []
        self._current: Choice | None = None
        self._going_on = False
        speech.previewed.connect(self._on_previewed)
        speech.activity_changed.connect(self._on_activity)

    @property
    def current(self) -> Choice | None:
        """The voice that speaks now."""
        return self._current

    def begin(self, choices: Sequence[Choice]) -> None:
        """Let these be heard in turn."""
        self._left = list(choices)
        self._next()

    @Slot()
    def end(self) -> None:
        """Leave the rest unheard."""
        self._left = []
        if self._current is not None:
            self._current = None
            self.changed.emit(None)

    @Slot()
    def _next(self) -> None:
        self._current = self._left.pop(0) if self._left else None
        self.changed.emit(self._current)
        if self._current is not None:
            self._going_on = True
            self._hear(self._current)
            self._going_on = False

    @Slot()
    def _on_previewed(self) -> None:
        if self._current is not None:
            self._next()

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        """One that is silent without having been heard to its end was stopped, or has failed."""
        if self._current is not None and not activity.previewing and not self._going_on:
            self.end()
