"""The text to speak, with the part that is being heard highlighted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from app.theme import Colours
from engine.speech import Utterance

LARGEST_FILE_BYTES = 4_000_000
MARGIN_PIXELS = 14


class TextEditor(QFrame):
    """A plain text editor on a page of its own; text and text files can be dropped into it.

    The view follows what is heard until somebody scrolls, edits or looks at another place; `follow` resumes that.
    """

    text_replaced = Signal()  # as a whole, by another; comes before `text_changed`
    text_changed = Signal()
    file_opened = Signal(object)
    file_refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editor")
        self.edit = _PlainTextEdit(self)
        self.setFocusProxy(self.edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PIXELS // 2, MARGIN_PIXELS // 2, 2, MARGIN_PIXELS // 2)
        layout.addWidget(self.edit)
        self._spans: dict[int, QTextCursor] = {}
        self._following = True
        self._highlight = QColor("yellow")
        self._length = 0  # in Qt's UTF-16 units
        self.edit.document().contentsChange.connect(self._on_change)
        self.edit.textChanged.connect(self.text_changed)
        self.edit.textChanged.connect(self._stop_following)
        self.edit.scrolled.connect(self._stop_following)
        self.edit.file_dropped.connect(self.open_file)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.edit.toPlainText()

    def start_with(self, text: str) -> None:
        """Start with this text; undo cannot bring back what was there before."""
        self.edit.setPlainText(text)

    def set_text(self, text: str) -> None:
        """Replace the whole text; this can be undone."""
        cursor = QTextCursor(self.edit.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.Start)

    @Slot(object)
    def open_file(self, path: Path) -> None:
        """Replace the whole text with a text file; `file_refused` says why if that fails."""
        try:
            if path.stat().st_size > LARGEST_FILE_BYTES:
                self.file_refused.emit(f"“{path.name}” is too large for a text to speak.")
                return
            self.set_text(path.read_text(encoding="utf-8"))
            self.file_opened.emit(path)
        except OSError as error:
            self.file_refused.emit(f"“{path.name}” cannot be read ({error.strerror}).")
        except UnicodeDecodeError:
            self.file_refused.emit(f"“{path.name}” is not a plain text file (UTF-8).")

    def remember_spans(self, text: str, utterances: Sequence[Utterance]) -> None:
        """Remember where more utterances of `text` are; the positions follow when the text is edited."""
        if text == self.text:
            positions = _Utf16Positions(text)
            new = (each for each in utterances if each.index not in self._spans)
            self._spans |= {each.index: self._span(positions, each.start, each.end) for each in new}

    @Slot()
    def forget_spans(self) -> None:
        """Forget all positions, since another speech begins."""
        self.mark(None)
        self._spans = {}

    @Slot(object)
    def mark(self, utterance: Utterance | None) -> None:
        """Highlight the utterance that is heard now, and keep it in view while following."""
        span = self._spans.get(utterance.index) if utterance is not None else None
        selections = [self._selection(span)] if span is not None and span.hasSelection() else []
        self.edit.setExtraSelections(selections)
        if selections and span is not None and self._following:
            self._bring_into_view(span)

    def follow(self) -> None:
        """Keep what is heard in view from now on."""
        self._following = True
        for selection in self.edit.extraSelections():
            self._bring_into_view(selection.cursor)  # type: ignore[attr-defined]

    def select(self, start: int, end: int) -> None:
        """Select characters and bring them into view."""
        self._stop_following()
        self.edit.setTextCursor(self._span(_Utf16Positions(self.text), start, end))
        self.edit.setFocus()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's highlight."""
        self._highlight = QColor(colours.highlight)
        self.edit.setExtraSelections([self._recoloured(each) for each in self.edit.extraSelections()])

    @Slot(int, int, int)
    def _on_change(self, position: int, removed: int, added: int) -> None:
        replaced = removed >= self._length > 0
        self._length = self.edit.document().characterCount() - 1
        if replaced:
            self.text_replaced.emit()

    @Slot()
    def _stop_following(self) -> None:
        self._following = False

    def _span(self, positions: _Utf16Positions, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.edit.document())
        cursor.setPosition(positions.of(start))
        cursor.setPosition(positions.of(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _selection(self, span: QTextCursor) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.cursor = span  # type: ignore[attr-defined]
        return self._recoloured(selection)

    def _recoloured(self, selection: QTextEdit.ExtraSelection) -> QTextEdit.ExtraSelection:
        selection.format.setBackground(self._highlight)  # type: ignore[attr-defined]
        return selection

    def _bring_into_view(self, span: QTextCursor) -> None:
        start = QTextCursor(span)
        start.setPosition(span.selectionStart())
        view = self.edit.viewport().rect()
        if self.edit.cursorRect(start).top() < view.top() or self.edit.cursorRect(span).bottom() > view.bottom():
            line = start.block().layout().lineForTextPosition(start.positionInBlock()).lineNumber()
            bar = self.edit.verticalScrollBar()  # counts lines, not pixels
            bar.setValue(start.block().firstLineNumber() + line - bar.pageStep() // 4)


class _PlainTextEdit(QPlainTextEdit):
    """`scrolled` tells that a person has moved the view, with the mouse or the keyboard."""

    file_dropped = Signal(object)
    scrolled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText("Type, paste or drop the text to speak.")
        self.setAccessibleName("Text to speak")
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(MARGIN_PIXELS)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.verticalScrollBar().actionTriggered.connect(self.scrolled)  # not by a program or another size

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell when a key, such as Page Down, moves the view."""
        before = self.verticalScrollBar().value()
        super().keyPressEvent(event)
        if self.verticalScrollBar().value() != before:
            self.scrolled.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return _file_in(source) is not None or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        path = _file_in(source)
        if path is None:
            super().insertFromMimeData(source)
        else:
            self.file_dropped.emit(path)


class _Utf16Positions:
    """Qt counts UTF-16 units, Python characters; they differ after an emoji."""

    def __init__(self, text: str) -> None:
        self._wide = [position for position, character in enumerate(text) if ord(character) > 0xFFFF]

    def of(self, position: int) -> int:
        return position + bisect_left(self._wide, position)


def _file_in(source: QMimeData) -> Path | None:
    files = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
    return files[0] if files else None
