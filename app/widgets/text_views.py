"""Helpers for text views: positions in a text, and lines of a length that is easy to read.

Python counts places in characters, Qt in UTF-16 units.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

_WIDE = re.compile("[\U00010000-\U0010ffff]")
"""The characters that take two UTF-16 units."""
PROSE = "the five boxing wizards jump quickly over it "
"""A sample whose letters are about as wide as those of any English text."""


class Utf16Positions:
    """Converts between characters (Python) and UTF-16 units (Qt), which differ after an emoji."""

    def __init__(self, text: str) -> None:
        self._wide = [match.start() for match in _WIDE.finditer(text)] if has_wide(text) else []
        self._wide_positions = [character + before for before, character in enumerate(self._wide)]

    def of(self, character: int) -> int:
        """Return the position before this character."""
        return character + bisect_left(self._wide, character)

    def character(self, position: int) -> int:
        """Return the character after this position, or around it."""
        return position - bisect_left(self._wide_positions, position)


def has_wide(text: str) -> bool:
    """Return whether some character of a text takes two UTF-16 units; ten times as fast as a search."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


def character_of(text: str, position: int) -> int:
    """Return the character after this position."""
    return Utf16Positions(text).character(position)


def span_in(document: QTextDocument, start: int, end: int) -> QTextCursor:
    """Return a cursor that selects the text between two positions."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


class TextColumn(QObject):
    """Centers the text in its edit; the wheel also scrolls it from beside the text."""

    def __init__(self, edit: QPlainTextEdit | QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._characters: int | None = None
        self._side_pixels = 0
        edit.installEventFilter(self)

    def limit(self, characters: int | None) -> None:
        """Limit lines to about this many characters; None uses the full width."""
        self._characters = characters
        self._lay_out()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Adapt the margins to the size and font; pass on wheel events from beside the text."""
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
