"""Marks the current word and sentence in a text, keeps them in view, and leads back to them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Signal, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QTextEdit, QWidget

from app.theme import colors

FOLLOWING = "Following the speech"
LEFT = "Stopped following the speech"
TITLE = "Back to Reading"
ABOVE_EDGE_PIXELS = 12


class ReadingMarks(QObject):
    """Marks the current sentence with a tint, and its word with a stronger tint and a line below, not by color alone.

    The view follows until `leave`, and again from `resume_following` on. `left_changed` carries whether the mark is
    neither followed nor in view. No mark moves the text cursor: a screen reader would read every word out a second
    time.
    """

    left_changed = Signal(bool)

    def __init__(self, edit: QPlainTextEdit | QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._sentence: QTextCursor | None = None
        self._word: QTextCursor | None = None
        self._following = True
        self._left = False
        self._centered = False
        edit.installEventFilter(self)
        edit.verticalScrollBar().valueChanged.connect(self._check_left)
        edit.verticalScrollBar().rangeChanged.connect(self._check_left)

    @property
    def left(self) -> bool:
        """True if something is marked that the view does not follow, and that is out of view."""
        return self._left

    def show(self, sentence: QTextCursor | None, word: QTextCursor | None = None) -> None:
        """Mark a sentence and a word in it, and keep it in view while following."""
        self._sentence, self._word = sentence, word
        self._draw()
        self.keep_in_view()
        self._check_left()

    @Slot()
    def keep_in_view(self) -> None:
        """Bring the mark into view, if the view follows it: the text may have been laid out again."""
        self._leave_room()
        if self._following:
            self._bring_into_view()

    @Slot()
    def resume_following(self) -> None:
        """Keep the mark in view from now on."""
        self._following = True
        self._bring_into_view()
        self._check_left()

    @Slot()
    def leave(self) -> None:
        """Stop following: leave the view where it is."""
        self._following = False
        self._check_left()

    def set_centered(self, centered: bool) -> None:
        """Choose whether to keep the current line in the middle instead of anywhere in view."""
        self._centered = centered
        self.keep_in_view()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the colors of the theme, including changes before the edit is shown."""
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.Polish):
            self._draw()
        return False

    def _draw(self) -> None:
        tint, strong = QTextCharFormat(), QTextCharFormat()
        tint.setBackground(QColor(colors().highlight))
        strong.setBackground(QColor(colors().word))
        strong.setFontUnderline(True)
        marks = ((self._sentence, tint), (self._word, strong))
        self._edit.setExtraSelections([_selection(span, look) for span, look in marks if span is not None])

    @Slot()
    def _check_left(self) -> None:
        span = self._word or self._sentence
        left = span is not None and not self._following and not self._in_sight(span)
        if left != self._left:
            self._left = left
            self._edit.setAccessibleDescription(LEFT if left else FOLLOWING)
            self.left_changed.emit(left)

    def _bring_into_view(self) -> None:
        if self._sentence is None:
            return
        span = self._word or self._sentence
        bar, start, end = self._edit.verticalScrollBar(), *self._ends(span)
        view = self._edit.viewport().rect()
        if self._centered:
            bar.setValue(self._scroll_value(span) - bar.pageStep() // 2)
        elif start.top() < view.top() or end.bottom() > view.bottom():
            bar.setValue(self._scroll_value(span) - bar.pageStep() // 4)

    def _in_sight(self, span: QTextCursor) -> bool:
        (start, end), view = self._ends(span), self._edit.viewport().rect()
        return end.bottom() >= view.top() and start.top() <= view.bottom()

    def _ends(self, span: QTextCursor) -> tuple[QRect, QRect]:
        """Return the first and the last place of a span in the viewport."""
        return self._edit.cursorRect(_start_of(span)), self._edit.cursorRect(span)

    def _scroll_value(self, span: QTextCursor) -> int:
        """Return the scroll bar's value with the first line of a span at the top, in lines if the text is plain."""
        start = _start_of(span)
        if isinstance(self._edit, QTextEdit):
            return self._edit.verticalScrollBar().value() + self._edit.cursorRect(start).top()
        line = start.block().layout().lineForTextPosition(start.positionInBlock())
        return start.block().firstLineNumber() + line.lineNumber()

    def _leave_room(self) -> None:
        """Make room for the last line in the middle, if lines should be there."""
        if isinstance(self._edit, QPlainTextEdit):
            self._edit.setCenterOnScroll(self._centered)
            return
        document = self._edit.document()
        room = self._edit.viewport().height() // 2 if self._centered else document.documentMargin()
        page = document.rootFrame().frameFormat()
        if page.bottomMargin() != room:
            page.setBottomMargin(room)
            document.rootFrame().setFrameFormat(page)


def _start_of(span: QTextCursor) -> QTextCursor:
    start = QTextCursor(span)
    start.setPosition(span.selectionStart())
    return start


def _selection(cursor: QTextCursor, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor  # type: ignore[attr-defined]
    selection.format = look  # type: ignore[attr-defined]
    return selection


class ReadingChip(QPushButton):
    """A button at the middle of the lower edge of the widget over which it is shown."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(TITLE, over)
        self._over = over
        self.setObjectName("chip")
        self.setToolTip("Scroll to the word being spoken")
        self.setAutoDefault(False)
        self.hide()
        over.installEventFilter(self)

    @Slot(bool)
    def show_left(self, left: bool) -> None:
        """Appear if the current word is out of view, else disappear; the keyboard focus returns to the text."""
        if not left and self.hasFocus():
            self._over.setFocus()
        self.setVisible(left)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the place when the widget below is resized."""
        if event.type() is QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        self.adjustSize()
        left = (self._over.width() - self.width()) // 2
        self.move(left, self._over.height() - self.height() - ABOVE_EDGE_PIXELS)
        self.raise_()
