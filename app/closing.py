"""Whether the window may close: not before its files are saved, nor with a text that is not kept, unless told to."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow, QMessageBox

from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.widgets.closing_question import ask_about_save, ask_about_text
from app.window_memory import WindowMemory


class Closing(QObject):
    """Asks over the window, one question at a time, and closes it once the answer allows that.

    `saving_given_up` tells that files are about to be stopped.
    """

    saving_given_up = Signal()

    def __init__(self, window: QMainWindow, controller: SpeechController, memory: WindowMemory) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._memory = memory
        self._when_saved = False
        self._without_text = False
        self._question: QMessageBox | None = None
        controller.activity_changed.connect(self._on_activity)

    def may_close(self) -> bool:
        """Stop the sound and keep everything; False if a question has to be answered first."""
        save = self._controller.activity.save
        if save is not None:
            answers = self._close_when_saved, self._close_without_saving
            self._ask(lambda: ask_about_save(self._window, save.name, save.waiting_count, *answers))
            return False
        self._controller.stop()
        self._memory.remember()
        if self._memory.kept or self._without_text:
            return True
        self._ask(lambda: ask_about_text(self._window, self._close_without_text))
        return False

    def stay(self) -> None:
        """Leave the window open although the files are saved, since it has something to say."""
        self._when_saved = False

    def _ask(self, open_question: Callable[[], QMessageBox]) -> None:
        if self._question is None:
            self._question = open_question()
            self._question.finished.connect(self._on_answered)
        self._question.raise_()

    @Slot()
    def _on_answered(self) -> None:
        self._question = None

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        if self._when_saved and not activity.saving:
            self._when_saved = False
            self._window.close()

    @Slot()
    def _close_when_saved(self) -> None:
        self._when_saved = True
        self._on_activity(self._controller.activity)  # it may have been saved while the question was open

    @Slot()
    def _close_without_saving(self) -> None:
        self.saving_given_up.emit()
        self._controller.saving.cancel_all()
        self._close_when_saved()

    @Slot()
    def _close_without_text(self) -> None:
        self._without_text = True
        self._window.close()
