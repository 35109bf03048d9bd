"""Asks before the window closes while files are being saved, or if the text could not be saved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QMainWindow, QMessageBox, QWidget

from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.window_memory import WindowMemory

CLOSE_WHEN_SAVED, STOP_SAVING = "Close When Saved", "Stop Saving"
CLOSE_ANYWAY = "Close Anyway"


def ask_about_save(
    parent: QWidget,
    name: str,
    waiting_count: int,
    close_when_saved: Callable[[], None],
    stop_saving: Callable[[], None],
) -> QMessageBox:
    """Ask in a dialog that does not block the window; Cancel changes nothing."""
    words = f"“{name}” and {waiting_count} more are" if waiting_count else f"“{name}” is"
    box = QMessageBox(QMessageBox.Icon.Question, "Saving", f"{words} still being saved.", parent=parent)
    box.setInformativeText("The window can close when saving finishes.")
    wait = box.addButton(CLOSE_WHEN_SAVED, QMessageBox.ButtonRole.AcceptRole)
    stop = box.addButton(STOP_SAVING, QMessageBox.ButtonRole.DestructiveRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    wait.clicked.connect(close_when_saved)
    stop.clicked.connect(stop_saving)
    box.setDefaultButton(wait)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


def ask_about_text(parent: QWidget, close_anyway: Callable[[], None]) -> QMessageBox:
    """Ask whether the text may be lost; Cancel changes nothing."""
    box = QMessageBox(QMessageBox.Icon.Warning, "Text", "Your text couldn’t be saved.", parent=parent)
    box.setInformativeText(
        "If you close now, your latest changes will be lost. Copy them elsewhere or free up disk space first."
    )
    close = box.addButton(CLOSE_ANYWAY, QMessageBox.ButtonRole.DestructiveRole)
    close.clicked.connect(close_anyway)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


class Closing(QObject):
    """The questions before the window closes, one at a time; it closes once the answer allows that.

    `saving_given_up` is emitted before running and waiting exports are canceled.
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
        """Stop playback and save everything; return False if the user must answer a question first."""
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
        """Keep the window open after the files are saved, because it shows a failure."""
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
        self._on_activity(self._controller.activity)  # saving may have finished while the question was open

    @Slot()
    def _close_without_saving(self) -> None:
        self.saving_given_up.emit()
        self._controller.saving.cancel_all()
        self._close_when_saved()

    @Slot()
    def _close_without_text(self) -> None:
        self._without_text = True
        self._window.close()
