"""Lets the user choose with the mouse where playback starts in a text."""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPolygonF, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.theme import colors

MARGIN_PIXELS = 14
MARK_PIXELS = 9
TOOL_TIP = "Play from This Line"


class PlaceChooser(QObject):
    """A mouse handler: `place_chosen` carries the position of a word clicked with `place_key` held, or of a line.

    The line under the pointer has a clickable mark in the margin of the document; `paint` draws it after the text. The
    edit handles other clicks.
    """

    place_chosen = Signal(int)

    def __init__(self, edit: QPlainTextEdit | QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._pointed: QRect | None = None
        edit.document().setDocumentMargin(MARGIN_PIXELS)
        edit.viewport().setMouseTracking(True)
        edit.viewport().installEventFilter(self)
        edit.verticalScrollBar().valueChanged.connect(self._forget_line)

    @property
    def mark(self) -> QRect | None:
        """The area of the mark of the line under the pointer in the viewport; None while there is none."""
        if self._pointed is None:
            return None
        mark = QRect(0, 0, MARK_PIXELS, MARK_PIXELS)
        mark.moveCenter(QPoint(MARGIN_PIXELS // 2, self._pointed.center().y()))
        return mark

    def word_at(self, place: QPoint) -> int:
        """Return the position of the start of the word at a place in the viewport."""
        cursor = self._edit.cursorForPosition(place)  # at the nearest border between two characters
        if place.x() < self._edit.cursorRect(cursor).left():
            cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart()

    def paint(self) -> None:
        """Draw the mark in the margin; for use in a paint event of the viewport."""
        mark = self.mark
        if mark is None:
            return
        painter = QPainter(self._edit.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors().accent))
        tip = QPointF(mark.right() + 1, mark.center().y() + 0.5)
        painter.drawPolygon(QPolygonF([QPointF(mark.topLeft()), tip, QPointF(mark.left(), mark.bottom() + 1)]))
        painter.end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Mark the line under the pointer; handle the clicks that choose a place."""
        if event.type() is QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._point_at(event)
        elif event.type() is QEvent.Type.Leave:
            self._forget_line()
        elif event.type() is QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            return self._choose(event)
        elif event.type() is QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            return self._chooses(event)  # the first click has already chosen the place
        return False

    @Slot()
    def _forget_line(self) -> None:
        """Remove the mark when the pointer leaves, or when a different line may be under it."""
        self._pointed = None
        self._edit.viewport().update(0, 0, MARGIN_PIXELS, self._edit.viewport().height())

    def _choose(self, event: QMouseEvent) -> bool:
        if not self._chooses(event):
            return False
        place = event.position().toPoint()
        self.place_chosen.emit(self._line_at(place) if self._on_mark(event) else self.word_at(place))
        return True

    def _chooses(self, event: QMouseEvent) -> bool:
        return event.button() is Qt.MouseButton.LeftButton and (self._on_mark(event) or chooses_place(event))

    def _point_at(self, event: QMouseEvent) -> None:
        viewport = self._edit.viewport()
        pointed = self._line_under(event.position().toPoint())
        if (pointed and pointed.center().y()) != (self._pointed and self._pointed.center().y()):
            self._pointed = pointed
            viewport.update(0, 0, MARGIN_PIXELS, viewport.height())
        chooses = self._on_mark(event) or chooses_place(event)
        viewport.setCursor(Qt.CursorShape.PointingHandCursor if chooses else Qt.CursorShape.IBeamCursor)
        viewport.setToolTip(TOOL_TIP if self._on_mark(event) else "")

    def _on_mark(self, event: QMouseEvent) -> bool:
        return self._pointed is not None and event.position().x() < MARGIN_PIXELS

    def _line_under(self, place: QPoint) -> QRect | None:
        cursor = self._edit.cursorForPosition(place)
        line = self._edit.cursorRect(cursor)
        below = place.y() > line.bottom()  # the last line of the text
        return None if below or not cursor.block().text().strip() else line

    def _line_at(self, place: QPoint) -> int:
        cursor = self._edit.cursorForPosition(place)
        line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
        return cursor.block().position() + line.textStart()


def place_key() -> Qt.KeyboardModifier:
    """Return Option on a Mac, Ctrl on Linux.

    On a Mac, Ctrl-clicks open the context menu; on Linux, window managers take Alt-clicks.
    """
    return Qt.KeyboardModifier.AltModifier if sys.platform == "darwin" else Qt.KeyboardModifier.ControlModifier


def format_place_click() -> str:
    """Return the name of such a click, to begin a sentence with."""
    return "Option-click" if sys.platform == "darwin" else "Ctrl+click"


def chooses_place(event: QMouseEvent) -> bool:
    """Return whether this key, and no other, is held."""
    return event.modifiers() == place_key()
