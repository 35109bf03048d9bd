"""The text to speak: an editor that accepts dropped files, draws directions as pills, and marks the current word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextLayout,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from app.speech.spoken_text import SpokenTextMap, unchanged
from app.theme import colors
from app.widgets.file_dialogs import local_files
from app.widgets.place_chooser import MARGIN_PIXELS, PlaceChooser
from app.widgets.reading_marks import ReadingChip, ReadingMarks
from app.widgets.text_views import TextColumn, Utf16Positions, character_of, span_in
from engine.speech import Preset, SpokenWord, Utterance

DIRECTION = re.compile(
    r"\[ *(?:pause\b[^\[\]\n]{0,60}|voice(?: *[:=][^\[\]\n]{0,200}| +[^\s\[\]]{1,200} *))\](?!\()"
    rf"|\[ ?/? ?(?:{'|'.join(Preset)}) ?\](?!\()",
    re.IGNORECASE,
)
"""The directions that the engine recognizes; brackets followed by a parenthesis give a pronunciation instead."""
RADIUS_PIXELS = 8
ALPHA = 40
SPREAD_PIXELS = 2
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class PlainTextEdit(QPlainTextEdit):
    """A text field whose `scrolled` signal is emitted when the user moves the view with the mouse or keyboard.

    `place_requested` carries the position of the word that was clicked with `place_key` held, or that begins
    the line whose mark in the margin was clicked. An `offered` text is replaced by the first text typed or pasted.
    `composing` is True while an input method changes a part of the text.
    """

    files_given = Signal(list)
    scrolled = Signal()
    place_requested = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.offered = False
        self.composing = False
        self._places = PlaceChooser(self)
        self._column = TextColumn(self)
        self.setPlaceholderText("Type, paste, or drop text to speak.")
        self.setAccessibleName("Text to speak")
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.verticalScrollBar().actionTriggered.connect(self.scrolled)  # not by the program or a change of size
        self._places.place_chosen.connect(self.place_requested)

    def limit_lines(self, characters: int | None) -> None:
        """Limit lines to about this many characters, with the text centered; None uses the full width."""
        self._column.limit(characters)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `scrolled` when a key, such as Page Down, moves the view."""
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
        """Also accept files."""
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leave files to the window, which shows that they can be dropped."""
        if local_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert text as it is; files go to listeners of `files_given`."""
        files = local_files(source)
        if files:
            self.files_given.emit(files)
        else:
            self._give_way()
            super().insertFromMimeData(source)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Insert text composed by an input method."""
        if event.commitString():
            self._give_way()
        cursor = self.textCursor()
        self.composing = cursor.selectionEnd() - cursor.selectionStart() < self.document().characterCount() - 1
        super().inputMethodEvent(event)
        self.composing = False

    def _give_way(self) -> None:
        if self.offered:
            self.selectAll()


def pills_in(edit: QPlainTextEdit) -> list[QRectF]:
    """Return the areas of the visible directions in the viewport; one that spans several lines has several."""
    found: list[QRectF] = []
    block, offset = edit.firstVisibleBlock(), edit.contentOffset()
    while block.isValid():
        area = edit.blockBoundingGeometry(block).translated(offset)
        if area.top() > edit.viewport().height():
            break
        found.extend(_pills_in_block(block, area.topLeft()))
        block = block.next()
    return found


def paint_pills(edit: QPlainTextEdit) -> None:
    """Draw the pills over the text, which shows through; for use in a paint event of the viewport."""
    pills = pills_in(edit)
    if not pills:
        return
    painter = QPainter(edit.viewport())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line, fill = QColor(colors().accent), QColor(colors().accent)
    fill.setAlpha(ALPHA)
    painter.setPen(line)
    painter.setBrush(fill)
    for pill in pills:
        painter.drawRoundedRect(pill, RADIUS_PIXELS, RADIUS_PIXELS)
    painter.end()


def _pills_in_block(block: QTextBlock, origin: QPointF) -> Iterator[QRectF]:
    text = block.text()
    if "[" not in text:
        return
    for match in DIRECTION.finditer(text):
        start, end = (len(text[:place].encode("utf-16-le")) // 2 for place in match.span())
        yield from _lines(block.layout(), start, end, origin)


def _lines(layout: QTextLayout, start: int, end: int, origin: QPointF) -> Iterator[QRectF]:
    """Return the area of positions `start` to `end` on each line that has some of them."""
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        first, last = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
        if first < last:
            left, right = (line.cursorToX(place)[0] for place in (first, last))  # type: ignore[index]
            area = QRectF(left, line.y(), right - left, line.height()).translated(origin)
            yield area.adjusted(-SPREAD_PIXELS, 0.5, SPREAD_PIXELS, -0.5)


class TextEditor(QFrame):
    """A plain text editor in a page-like frame; text can be dropped into it.

    The view follows playback until the user scrolls, edits or goes to a different place; `resume_following`, or the
    chip that then appears, resumes that. `place_requested` carries the place from which the user wants to play the
    text: its character in the spoken text, None if it is not spoken, and in the current text.
    """

    text_leaves = Signal()  # `set_text` will replace it; it is still there
    text_replaced = Signal()  # as a whole, by a new one, which is already there
    text_changed = Signal()
    text_edited = Signal(int, int, int)  # the character, the number removed there, and the number added
    selection_changed = Signal()
    place_requested = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editor")
        self.edit = PlainTextEdit(self)
        self.setFocusProxy(self.edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PIXELS // 2, MARGIN_PIXELS // 2, 2, MARGIN_PIXELS // 2)
        layout.addWidget(self.edit)
        self.marks = ReadingMarks(self.edit)
        self.chip = ReadingChip(self.edit)
        self._spoken = SpokenTextMap(self.edit.document())
        self._text: str | None = None  # once requested
        self._before = ""  # the text after the latest change
        self._length = 0  # its length in Qt's UTF-16 units
        self._replacing = False
        self._found: tuple[int, int] | None = None  # the selection made by `select`
        self.edit.document().contentsChange.connect(self._on_change)
        self.edit.textChanged.connect(self.text_changed)
        self.edit.selectionChanged.connect(self._on_selection)
        self.edit.textChanged.connect(self.marks.leave)
        self.edit.scrolled.connect(self.marks.leave)
        self.edit.place_requested.connect(self._on_place)
        self.marks.left_changed.connect(self.chip.show_left)
        self.chip.clicked.connect(self.resume_following)

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is None:
            self._text = self.edit.toPlainText()
        return self._text

    @property
    def span(self) -> tuple[int, int]:
        """The selected characters, from the first up to the last, or those between which the cursor is."""
        cursor, text = self.edit.textCursor(), self.text
        return character_of(text, cursor.selectionStart()), character_of(text, cursor.selectionEnd())

    @property
    def selection(self) -> tuple[int, int] | None:
        """The characters that the user has selected; None if none are."""
        chosen = self.edit.textCursor().hasSelection() and self._found is None
        return self.span if chosen else None

    @property
    def cursor_character(self) -> int:
        """The character after the cursor."""
        return character_of(self.text, self.edit.textCursor().position())

    def start_with(self, text: str) -> None:
        """Start with this text."""
        self.edit.setPlainText(text)

    def offer(self, text: str) -> None:
        """Show a text until the user types or pastes something instead."""
        self.start_with(text)
        self.edit.offered = True

    def set_text(self, text: str) -> None:
        """Replace the text; Undo does not lead back to the one before."""
        self.text_leaves.emit()
        self._replacing = True  # which Qt does in two steps, or in none if the text is empty
        self.edit.setPlainText(text)
        self._replacing = False
        self._before = self.text
        self._length = self.edit.document().characterCount() - 1
        self.text_replaced.emit()

    def place_cursor(self, character: int) -> None:
        """Put the cursor before a character and bring it into view."""
        position = Utf16Positions(self.text).of(character)
        self.edit.setTextCursor(span_in(self.edit.document(), position, position))
        self.edit.centerCursor()

    def begin_speech(self, text: str) -> None:
        """Start following a new spoken text, forgetting the one before."""
        self.marks.show(None)
        self._spoken.begin_text(text)

    def remember_spans(self, utterances: Sequence[Utterance]) -> None:
        """Remember the places of more utterances; the positions follow when the text is edited."""
        self._spoken.remember(utterances)

    @Slot(object)
    def mark(self, utterance: Utterance | None) -> None:
        """Mark the current utterance, and keep it in view while following."""
        self.marks.show(self._spoken.utterance(utterance) if utterance is not None else None)

    def mark_word(self, utterance: Utterance, start: int, end: int, word: SpokenWord | None) -> None:
        """Mark characters `start` to `end` of the spoken text, a sentence, and in it the current word.

        If the sentence was edited, the remainder of the utterance is marked.
        """
        sentence = self._spoken.span(start, end) or self._spoken.utterance(utterance)
        self.marks.show(sentence, self._spoken.span(word.start, word.end) if word is not None else None)

    def copy(self) -> None:
        """Copy the selection."""
        self.edit.copy()

    def select_all(self) -> None:
        """Select everything."""
        self.edit.selectAll()

    @Slot()
    def resume_following(self) -> None:
        """Keep the current word in view from now on."""
        self.marks.resume_following()

    def select(self, start: int, end: int) -> None:
        """Select characters and bring them into view."""
        self.marks.leave()
        positions = Utf16Positions(self.text)
        self._found = positions.of(start), positions.of(end)
        self.edit.setTextCursor(span_in(self.edit.document(), *self._found))
        self.edit.setFocus()

    def set_text_size(self, pixels: int) -> None:
        """Show the text in this size; a visible cursor stays in view."""
        in_view = self.edit.viewport().rect().intersects(self.edit.cursorRect())
        self.edit.setStyleSheet(f"QPlainTextEdit {{ font-size: {pixels}px; }}")
        if in_view:
            self.edit.ensureCursorVisible()
        self.marks.keep_in_view()

    @Slot()
    def _on_selection(self) -> None:
        cursor = self.edit.textCursor()
        if (cursor.selectionStart(), cursor.selectionEnd()) != self._found:
            self._found = None
        self.selection_changed.emit()

    @Slot(int, int, int)
    def _on_change(self, position: int, removed: int, added: int) -> None:
        self._text = None
        if self._replacing:
            self.edit.offered = False
            return
        replaced = removed >= self._length > 0 and not self.edit.composing
        removed = min(removed, self._length - position)  # Qt may count the end of the text as well
        added = min(added, self.edit.document().characterCount() - 1 - position)
        edit = self._in_characters(position, removed, added)
        if not any(edit[1:]):  # such as text that is still being composed
            return
        self.edit.offered = False
        if replaced:
            self.text_replaced.emit()
        else:
            self.text_edited.emit(*edit)

    def _in_characters(self, position: int, removed: int, added: int) -> tuple[int, int, int]:
        """Convert a change in UTF-16 units to characters, without those that it leaves as they were.

        For composed text, Qt reports the whole paragraph.
        """
        before, now = self._before, self.text
        self._before, self._length = now, self.edit.document().characterCount() - 1
        characters = Utf16Positions(now)
        start, end = characters.character(position), characters.character(position + added)
        end_before = character_of(before, position + removed)
        same_before, same_after = unchanged(before[start:end_before], now[start:end])
        start += same_before
        return start, end_before - same_after - start, end - same_after - start

    @Slot(int)
    def _on_place(self, position: int) -> None:
        self.place_requested.emit(self._spoken.character_at(position), character_of(self.text, position))
