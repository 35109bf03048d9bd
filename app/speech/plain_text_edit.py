"""The text edit inside the editor: text files can be dropped, and a place be chosen from which to hear the text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.speech.markup_pills import paint_pills
from app.theme import LIGHT, Colours
from app.widgets.local_files import local_files
from app.widgets.place_click import chooses_place

MARGIN_PIXELS = 14
MARK_PIXELS = 9
PROSE = "the five boxing wizards jump quickly over it "
"""Its letters are about as wide as those of any English text."""


class PlainTextEdit(QPlainTextEdit):
    """`scrolled` tells that a person has moved the view, with the mouse or the keyboard.

    `place_wanted` carries the position of the word that was clicked with the key of `place_click`, or that begins the
    line whose mark in the margin was clicked.
    """

    files_given = Signal(list)
    scrolled = Signal()
    place_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._pointed: QRect | None = None
        self._line_characters: int | None = None
        self._side_pixels = 0
        self.setPlaceholderText("Type, paste or drop the text to speak.")
        self.setAccessibleName("Text to speak")
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(MARGIN_PIXELS)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.verticalScrollBar().actionTriggered.connect(self.scrolled)  # not by a program or another size
        self.viewport().setMouseTracking(True)

    @property
    def mark(self) -> QRect | None:
        """Where the mark of the line under the pointer is in the viewport; None while there is none."""
        if self._pointed is None:
            return None
        mark = QRect(0, 0, MARK_PIXELS, MARK_PIXELS)
        mark.moveCenter(QPoint(MARGIN_PIXELS // 2, self._pointed.center().y()))
        return mark

    def limit_lines(self, characters: int | None) -> None:
        """Keep lines to about so many characters, with the text in the middle; None: as long as there is room."""
        self._line_characters = characters
        self._lay_out_sides()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell when a key, such as Page Down, moves the view."""
        before = self.verticalScrollBar().value()
        super().keyPressEvent(event)
        if self.verticalScrollBar().value() != before:
            self.scrolled.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click with the key of `place_click`, or on the mark in the margin, plays from there; any other edits."""
        place = event.position().toPoint()
        marked = self.mark is not None and place.x() < MARGIN_PIXELS
        if event.button() is not Qt.MouseButton.LeftButton or not (marked or chooses_place(event)):
            super().mousePressEvent(event)
            return
        self.place_wanted.emit(self._line_start(place) if marked else self._word_start(place))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Mark the line under the pointer."""
        super().mouseMoveEvent(event)
        place = event.position().toPoint()
        self._point_at(place)
        over_mark = self._pointed is not None and place.x() < MARGIN_PIXELS
        chooses = over_mark or chooses_place(event)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if chooses else Qt.CursorShape.IBeamCursor)
        self.viewport().setToolTip("Play from This Line" if over_mark else "")

    def viewportEvent(self, event: QEvent) -> bool:
        """No line is marked without a mouse."""
        if event.type() is QEvent.Type.Leave:
            self._pointed = None
            self.viewport().update()
        return super().viewportEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, its directions as pills, and the mark in the margin."""
        super().paintEvent(event)
        paint_pills(self, self._colours)
        mark = self.mark
        if mark is not None:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._colours.accent))
            tip = QPointF(mark.right() + 1, mark.center().y() + 0.5)
            painter.drawPolygon(QPolygonF([QPointF(mark.topLeft()), tip, QPointF(mark.left(), mark.bottom() + 1)]))
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the text in the middle."""
        super().resizeEvent(event)
        self._lay_out_sides()

    def changeEvent(self, event: QEvent) -> None:
        """Lines of as many characters are longer in a larger font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._lay_out_sides()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take files, too."""
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take text as it is; files are for whoever listens to `files_given`."""
        files = local_files(source)
        if files:
            self.files_given.emit(files)
        else:
            super().insertFromMimeData(source)

    def _lay_out_sides(self) -> None:
        side = 0
        if self._line_characters is not None:
            line = self.fontMetrics().horizontalAdvance(PROSE) * self._line_characters / len(PROSE)
            side = max(0, round((self.contentsRect().width() - line) / 2) - MARGIN_PIXELS)
        if side != self._side_pixels:
            self._side_pixels = side
            self.setViewportMargins(side, 0, side, 0)

    def _point_at(self, place: QPoint) -> None:
        cursor = self.cursorForPosition(place)
        line = self.cursorRect(cursor)
        below = place.y() > line.bottom()  # the last line of the text
        pointed = None if below or not cursor.block().text().strip() else line
        if (pointed and pointed.center().y()) != (self._pointed and self._pointed.center().y()):
            self._pointed = pointed
            self.viewport().update(0, 0, MARGIN_PIXELS, self.viewport().height())

    def _word_start(self, place: QPoint) -> int:
        cursor = self.cursorForPosition(place)  # at the nearest border between two characters
        if place.x() < self.cursorRect(cursor).left():
            cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart()

    def _line_start(self, place: QPoint) -> int:
        cursor = self.cursorForPosition(place)
        line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
        return cursor.block().position() + line.textStart()
