"""The text edit inside the editor: text files can be dropped, and a place be chosen from which to hear the text."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QInputMethodEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.speech.markup_pills import paint_pills
from app.widgets.local_files import local_files
from app.widgets.place_chooser import PlaceChooser
from app.widgets.text_column import TextColumn

_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class PlainTextEdit(QPlainTextEdit):
    """`scrolled` tells that a person has moved the view, with the mouse or the keyboard.

    `place_wanted` carries the position of the word that was clicked with the key of `place_click`, or that begins
    the line whose mark in the margin was clicked. A text that is only `offered` gives way to whatever is typed or
    pasted.
    """

    files_given = Signal(list)
    scrolled = Signal()
    place_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.offered = False
        self._places = PlaceChooser(self)
        self._column = TextColumn(self)
        self.setPlaceholderText("Type, paste or drop the text to speak.")
        self.setAccessibleName("Text to speak")
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.verticalScrollBar().actionTriggered.connect(self.scrolled)  # not by a program or another size
        self._places.place_chosen.connect(self.place_wanted)

    def limit_lines(self, characters: int | None) -> None:
        """Keep lines to about so many characters, with the text in the middle; None: as long as there is room."""
        self._column.limit(characters)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell when a key, such as Page Down, moves the view."""
        if event.text().isprintable() and event.text() and not event.modifiers() & _COMMANDS:
            self._give_way()
        before = self.verticalScrollBar().value()
        super().keyPressEvent(event)
        if self.verticalScrollBar().value() != before:
            self.scrolled.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, its directions as pills, and the mark in the margin."""
        super().paintEvent(event)
        paint_pills(self)
        self._places.paint()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take files, too."""
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leave files to the window, which shows that they can be dropped."""
        if local_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take text as it is; files are for whoever listens to `files_given`."""
        files = local_files(source)
        if files:
            self.files_given.emit(files)
        else:
            self._give_way()
            super().insertFromMimeData(source)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Take what an input method has put together."""
        if event.commitString():
            self._give_way()
        super().inputMethodEvent(event)

    def _give_way(self) -> None:
        if self.offered:
            self.selectAll()
