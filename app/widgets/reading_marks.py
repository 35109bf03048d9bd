"""Marks what is heard in a text, and keeps it in view."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.theme import LIGHT, Colours

FOLLOWING = "The view follows what is heard."
LEFT = "The view stays here while the speech goes on."


class ReadingMarks(QObject):
    """The sentence is tinted; the word in it has a stronger tint and a line below, so that colour alone tells nothing.

    The view follows until `leave`, and again from `follow` on. `left_changed` says whether something is marked that is
    not followed. No mark moves the text cursor: a screen reader would read every word out a second time.
    """

    left_changed = Signal(bool)

    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._sentence: QTextCursor | None = None
        self._word: QTextCursor | None = None
        self._following = True
        self._left = False
        self._centred = False
        self._colours = LIGHT

    @property
    def left(self) -> bool:
        """Whether something is marked that the view does not follow."""
        return self._left

    def show(self, sentence: QTextCursor | None, word: QTextCursor | None = None) -> None:
        """Mark a sentence and a word in it, and keep it in view while following."""
        self._sentence, self._word = sentence, word
        self._draw()
        self.keep_in_view()
        self._tell()

    @Slot()
    def keep_in_view(self) -> None:
        """Bring what is marked into view, if the view follows it: the text may have been laid out anew."""
        if self._following:
            self._bring_into_view()

    @Slot()
    def follow(self) -> None:
        """Keep what is marked in view from now on."""
        self._following = True
        self._bring_into_view()
        self._tell()

    @Slot()
    def leave(self) -> None:
        """Let the view stay where it is from now on."""
        self._following = False
        self._tell()

    def set_centred(self, centred: bool) -> None:
        """Whether the line that is heard is kept in the middle, instead of anywhere in view."""
        self._centred = centred
        self._edit.setCenterOnScroll(centred)  # so that the last line can be there, too
        self.keep_in_view()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's tints."""
        self._colours = colours
        self._draw()

    def _draw(self) -> None:
        tint, strong = QTextCharFormat(), QTextCharFormat()
        tint.setBackground(QColor(self._colours.highlight))
        strong.setBackground(QColor(self._colours.word))
        strong.setFontUnderline(True)
        marks = ((self._sentence, tint), (self._word, strong))
        self._edit.setExtraSelections([_selection(span, look) for span, look in marks if span is not None])

    def _tell(self) -> None:
        left = self._sentence is not None and not self._following
        if left != self._left:
            self._left = left
            self._edit.setAccessibleDescription(LEFT if left else FOLLOWING)
            self.left_changed.emit(left)

    def _bring_into_view(self) -> None:
        if self._sentence is None:
            return
        span = self._word or self._sentence
        start = QTextCursor(span)
        start.setPosition(span.selectionStart())
        bar, line = self._edit.verticalScrollBar(), _line_of(start)  # the bar counts lines, not pixels
        if self._centred:
            bar.setValue(line - bar.pageStep() // 2)
        elif not self._shows(start) or not self._shows(span):
            bar.setValue(line - bar.pageStep() // 4)

    def _shows(self, cursor: QTextCursor) -> bool:
        place, view = self._edit.cursorRect(cursor), self._edit.viewport().rect()
        return place.top() >= view.top() and place.bottom() <= view.bottom()


def _selection(cursor: QTextCursor, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor  # type: ignore[attr-defined]
    selection.format = look  # type: ignore[attr-defined]
    return selection


def _line_of(cursor: QTextCursor) -> int:
    block = cursor.block()
    return block.firstLineNumber() + block.layout().lineForTextPosition(cursor.positionInBlock()).lineNumber()
