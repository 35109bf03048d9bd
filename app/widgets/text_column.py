"""Keeps the lines of a text to a length that is easy to read."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

PROSE = "the five boxing wizards jump quickly over it "
"""Its letters are about as wide as those of any English text."""


class TextColumn(QObject):
    """The text is in the middle of its edit; the wheel scrolls it beside the text, too."""

    def __init__(self, edit: QPlainTextEdit | QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._characters: int | None = None
        self._side_pixels = 0
        edit.installEventFilter(self)

    def limit(self, characters: int | None) -> None:
        """Keep lines to about so many characters; None: as long as there is room."""
        self._characters = characters
        self._lay_out()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Lines of as many characters are longer in a larger font."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._lay_out()
        elif event.type() is QEvent.Type.Wheel:  # over the text, the viewport gets it
            return QCoreApplication.sendEvent(self._edit.verticalScrollBar(), event)
        return False

    def _lay_out(self) -> None:
        side = 0
        if self._characters is not None:
            line = self._edit.fontMetrics().horizontalAdvance(PROSE) * self._characters / len(PROSE)
            margin = self._edit.document().documentMargin()
            side = max(0, round((self._edit.contentsRect().width() - line) / 2 - margin))
        if side != self._side_pixels:
            self._side_pixels = side
            self._edit.setViewportMargins(side, 0, side, 0)
