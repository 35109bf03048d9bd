"""The questions whether a window may be closed while a file is being saved, or with a text that is not kept."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

CLOSE_WHEN_SAVED, STOP_SAVING = "Close When Saved", "Stop Saving"
CLOSE_ANYWAY = "Close Anyway"


def ask_about_save(
    parent: QWidget,
    name: str,
    waiting_count: int,
    close_when_saved: Callable[[], None],
    stop_saving: Callable[[], None],
) -> QMessageBox:
    """Ask over a window that goes on working; Cancel leaves everything as it is."""
    words = f"“{name}” and {waiting_count} more are" if waiting_count else f"“{name}” is"
    box = QMessageBox(QMessageBox.Icon.Question, "Saving", f"{words} still being saved.", parent=parent)
    box.setInformativeText("The window can close once that is done.")
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
    """Ask whether a text may be lost; Cancel leaves everything as it is."""
    box = QMessageBox(QMessageBox.Icon.Warning, "Text", "The text cannot be written to the disk.", parent=parent)
    box.setInformativeText(
        "What you typed last is lost if the window closes. Copy it elsewhere, or free some disk space first."
    )
    close = box.addButton(CLOSE_ANYWAY, QMessageBox.ButtonRole.DestructiveRole)
    close.clicked.connect(close_anyway)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box
