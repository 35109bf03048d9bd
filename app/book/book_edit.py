"""The text in the view of a book: keys scroll it and control playback, a click chooses a place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextEdit, QWidget

from app.book.chapter_document import LINE_PERCENT, ChapterDocument, ChapterPositions
from app.book.pictures import STAND_IN, LoadPicture
from app.theme import colors
from app.widgets.place_chooser import MARGIN_PIXELS, PlaceChooser
from app.widgets.text_views import TextColumn, span_in
from engine.text.documents import Chapter

LINE_CHARACTERS = 70
KEPT_LINES = 2
"""The number of visible lines that stay in view after Page Down."""
NOTHING = Chapter("", "")
_BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_SENTENCES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
WIDTH_PIXELS, HEIGHT_PIXELS = 8, 14
NOTCH_PIXELS = 4


class Ribbons(QObject):
    """The bookmarks in view: a ribbon at the right of each line, where no other mark is.

    `paint` draws them after the text.
    """

    def __init__(self, edit: QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._positions: list[int] = []

    @property
    def in_view(self) -> list[QRect]:
        """The areas of the visible ribbons in the viewport."""
        if not self._positions:
            return []
        view = self._edit.viewport().rect()
        last = self._edit.cursorForPosition(view.bottomRight()).position()  # later text may not be laid out yet
        ribbons = (self._ribbon_at(position) for position in self._positions if position <= last)
        return [each for each in ribbons if each.intersects(view)]

    def show(self, positions: list[int]) -> None:
        """Show a ribbon at each of these positions."""
        if positions != self._positions:
            self._positions = positions
            self._edit.viewport().update()

    def paint(self) -> None:
        """Draw the ribbons; for use in a paint event of the viewport."""
        ribbons = self.in_view
        if not ribbons:
            return
        painter = QPainter(self._edit.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors().accent))
        for ribbon in map(_shape, ribbons):
            painter.drawPolygon(ribbon)
        painter.end()

    def _ribbon_at(self, position: int) -> QRect:
        line = self._edit.cursorRect(span_in(self._edit.document(), position, position))
        left = self._edit.viewport().width() - (MARGIN_PIXELS + WIDTH_PIXELS) // 2
        return QRect(left, line.top(), WIDTH_PIXELS, HEIGHT_PIXELS)


def _shape(ribbon: QRect) -> QPolygonF:
    area = QRectF(ribbon)
    notch = QPointF(area.center().x(), area.bottom() - NOTCH_PIXELS)
    return QPolygonF([area.topLeft(), area.topRight(), area.bottomRight(), notch, area.bottomLeft()])


class BookEdit(QTextEdit):
    """A chapter in the font of this widget; `positions` maps its characters to the document.

    `place_requested` carries the position of the word that was clicked, or that begins the line whose mark in the
    margin was clicked. `scrolled` is emitted when the user moves the view. For a new font, the document is replaced:
    `document_leaves` comes before that, `document_replaced` after it.
    """

    scrolled = Signal()
    place_requested = Signal(int)
    toggle_requested = Signal()
    sentence_requested = Signal(int)
    document_leaves = Signal()
    document_replaced = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._frame = parent
        self._chapter = NOTHING
        self._load_picture: LoadPicture = lambda name: None
        self._document: ChapterDocument | None = None  # owned; Qt deletes the one it starts with
        self._positions = ChapterPositions("")
        self._pressed: QPoint | None = None
        self._held: tuple[int, int] | None = None
        self.places = PlaceChooser(self)
        self.ribbons = Ribbons(self)
        TextColumn(self).limit(LINE_CHARACTERS)
        selectable = Qt.TextInteractionFlag
        self.setTextInteractionFlags(selectable.TextSelectableByMouse | selectable.TextSelectableByKeyboard)
        self.setAccessibleName("Book")
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(False)  # the window handles drops
        self.verticalScrollBar().actionTriggered.connect(self.scrolled)  # not by the program or a change of size
        self.verticalScrollBar().valueChanged.connect(self._forget_line)
        self.cursorPositionChanged.connect(self._forget_line)
        self.places.place_chosen.connect(self.place_requested)

    @property
    def positions(self) -> ChapterPositions:
        """The positions of the chapter's characters."""
        return self._positions

    def show_chapter(self, chapter: Chapter, load_picture: LoadPicture) -> None:
        """Show a chapter from its start on."""
        self._chapter, self._load_picture = chapter, load_picture
        self._write()
        self.verticalScrollBar().setValue(0)
        self._forget_line()

    def center(self, position: int) -> None:
        """Scroll until a position is in the middle, unless it is in view."""
        place, view = self.cursorRect(self._at(position)), self.viewport().rect()
        if place.top() < view.top() or place.bottom() > view.bottom():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + place.center().y() - view.center().y())

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the text as it is in the chapter, with a blank line between paragraphs."""
        cursor, copied = self.textCursor(), QMimeData()
        start, end = map(self._positions.character, (cursor.selectionStart(), cursor.selectionEnd()))
        copied.setText(self._chapter.text[start:end])
        return copied

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Control playback and scroll; with other keys, select and copy."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if plain and event.key() == Qt.Key.Key_Space:
            self.toggle_requested.emit()
        elif plain and event.key() in _SENTENCES:
            self.sentence_requested.emit(_SENTENCES[Qt.Key(event.key())])
        elif not plain or not self._scroll_by(event.key()):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection or a click; a click that clears a selection has no other effect."""
        plain = event.button() is Qt.MouseButton.LeftButton and event.modifiers() == Qt.KeyboardModifier.NoModifier
        self._pressed = event.position().toPoint() if plain and not self.textCursor().hasSelection() else None
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a selection, or choose the word that was clicked."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        if pressed is None or self.textCursor().hasSelection():
            return
        moved = (event.position().toPoint() - pressed).manhattanLength()
        if moved < QApplication.startDragDistance() and self._is_on_text(pressed):
            self.place_requested.emit(self.places.word_at(pressed))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with the Control key, QTextEdit would change the font."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, and the marks in the margins."""
        super().paintEvent(event)
        self.places.paint()
        self.ribbons.paint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the place in view although the lines change their length."""
        with self._line_held():
            super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Rebuild the document for a new font, on whose size all distances depend."""
        if event.type() is not QEvent.Type.FontChange or self._chapter is NOTHING:
            super().changeEvent(event)
            return
        with self._line_held():
            super().changeEvent(event)
            cursor = self._positions.character(self.textCursor().position())
            self.document_leaves.emit()
            self._write()
            self.setTextCursor(self._at(self._positions.position(cursor)))
        self.document_replaced.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a frame after keyboard navigation, since there is no cursor to show that keys act here."""
        super().focusInEvent(event)
        self._show_focus(event.reason() in _BY_KEY)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Remove the frame."""
        super().focusOutEvent(event)
        self._show_focus(False)

    def _show_focus(self, shown: bool) -> None:
        self._frame.setProperty("focused", shown)
        self._frame.style().polish(self._frame)

    def _write(self) -> None:
        page = self.document().rootFrame().frameFormat()
        document = ChapterDocument(self._chapter, self.font(), page, self._load_picture, self)
        self.setDocument(document)
        self.setCursorWidth(0)  # of this document; a blinking cursor would suggest that the text can be edited
        if self._document is not None:
            self._document.deleteLater()
        self._document, self._positions = document, document.positions
        self.verticalScrollBar().setSingleStep(self.fontMetrics().lineSpacing() * LINE_PERCENT // 100)

    def _scroll_by(self, key: int) -> bool:
        bar = self.verticalScrollBar()
        line, page = bar.singleStep(), bar.pageStep() - KEPT_LINES * bar.singleStep()
        steps = {
            Qt.Key.Key_Up: -line, Qt.Key.Key_Down: line, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -bar.value(), Qt.Key.Key_End: bar.maximum(),
        }  # fmt: skip
        if key not in steps:
            return False
        bar.setValue(bar.value() + steps[Qt.Key(key)])
        self.scrolled.emit()
        return True

    def _is_on_text(self, place: QPoint) -> bool:
        scrolled = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        layout = self.document().documentLayout()
        hit = layout.hitTest(QPointF(place) + scrolled, Qt.HitTestAccuracy.ExactHit)
        return hit >= 0 and self.document().characterAt(hit) != STAND_IN

    @contextmanager
    def _line_held(self) -> Iterator[None]:
        """Keep a line in place, always the same one until the view is scrolled: each resize would move it a bit."""
        if self._held is None:
            cursor = self._cursor_in_view()
            self._held = cursor.position(), self.cursorRect(cursor).top()
        position, place = held = self._held
        yield
        bar, line = self.verticalScrollBar(), self.cursorRect(self._at(position))
        bar.setValue(bar.value() + line.top() - min(place, self.viewport().height() - line.height()))
        self._held = held

    def _cursor_in_view(self) -> QTextCursor:
        """Return the cursor, or one in the first line if it is out of view."""
        place = self.cursorRect()
        if place.top() >= 0 and place.bottom() <= self.viewport().height():
            return self.textCursor()
        self.cursorForPosition(QPoint(0, 0))  # this is the end of the text if that is not laid out this far yet
        return self.cursorForPosition(QPoint(0, 0))

    def _at(self, position: int) -> QTextCursor:
        return span_in(self.document(), position, position)

    @Slot()
    def _forget_line(self) -> None:
        self._held = None
