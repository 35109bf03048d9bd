"""The text to speak, with the part that is being heard highlighted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.speech.plain_text_edit import PlainTextEdit
from app.speech.spoken_text import SpokenText
from app.theme import Colours
from app.widgets.place_chooser import MARGIN_PIXELS
from app.widgets.reading_chip import ReadingChip
from app.widgets.reading_marks import ReadingMarks
from app.widgets.text_positions import Utf16Positions, character_of, span_in
from engine.speech import SpokenWord, Utterance


class TextEditor(QFrame):
    """A plain text editor on a page of its own; text can be dropped into it.

    The view follows what is heard until somebody scrolls, edits or looks at another place; `follow`, or the chip that
    then appears, resumes that. `place_wanted` carries the place from which somebody wants to hear the text: its
    character in the text that is spoken, None if it is not spoken, and in the text as it is now.
    """

    text_leaves = Signal()  # `set_text` will replace it; it is still there
    text_replaced = Signal()  # as a whole, by another; comes before `text_changed`
    text_changed = Signal()
    place_wanted = Signal(object, int)

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
        self._spoken = SpokenText(self.edit.document())
        self._length = 0  # in Qt's UTF-16 units
        self.edit.document().contentsChange.connect(self._on_change)
        self.edit.textChanged.connect(self.text_changed)
        self.edit.textChanged.connect(self.marks.leave)
        self.edit.scrolled.connect(self.marks.leave)
        self.edit.place_wanted.connect(self._on_place)
        self.marks.left_changed.connect(self.chip.show_left)
        self.chip.clicked.connect(self.follow)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.edit.toPlainText()

    @property
    def selection(self) -> tuple[int, int] | None:
        """The characters that are selected, from the first up to the last; None if none are."""
        cursor = self.edit.textCursor()
        if not cursor.hasSelection():
            return None
        text = self.text
        return character_of(text, cursor.selectionStart()), character_of(text, cursor.selectionEnd())

    @property
    def cursor_character(self) -> int:
        """The character before which the cursor is."""
        return character_of(self.text, self.edit.textCursor().position())

    def start_with(self, text: str) -> None:
        """Start with this text; undo cannot bring back what was there before."""
        self.edit.setPlainText(text)

    def set_text(self, text: str) -> None:
        """Replace the whole text; this can be undone."""
        self.text_leaves.emit()
        cursor = QTextCursor(self.edit.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.Start)

    def place_cursor(self, character: int) -> None:
        """Put the cursor before a character and bring it into view."""
        position = Utf16Positions(self.text).of(character)
        self.edit.setTextCursor(span_in(self.edit.document(), position, position))
        self.edit.centerCursor()

    def begin_speech(self, text: str) -> None:
        """Forget the speech before, since another begins, of this text."""
        self.marks.show(None)
        self._spoken.begin(text)

    def remember_spans(self, utterances: Sequence[Utterance]) -> None:
        """Remember where more utterances are; the positions follow when the text is edited."""
        self._spoken.remember(utterances)

    @Slot(object)
    def mark(self, utterance: Utterance | None) -> None:
        """Mark the utterance that is heard now, and keep it in view while following."""
        self.marks.show(self._spoken.utterance(utterance) if utterance is not None else None)

    def mark_word(self, utterance: Utterance, start: int, end: int, word: SpokenWord | None) -> None:
        """Mark characters `start` to `end` of the spoken text, a sentence, and in it the word that is heard now.

        What is left of the utterance is marked where the sentence was edited.
        """
        sentence = self._spoken.span(start, end) or self._spoken.utterance(utterance)
        self.marks.show(sentence, self._spoken.span(word.start, word.end) if word is not None else None)

    @Slot()
    def follow(self) -> None:
        """Keep what is heard in view from now on."""
        self.marks.follow()

    def select(self, start: int, end: int) -> None:
        """Select characters and bring them into view."""
        self.marks.leave()
        positions = Utf16Positions(self.text)
        self.edit.setTextCursor(span_in(self.edit.document(), positions.of(start), positions.of(end)))
        self.edit.setFocus()

    def set_text_size(self, pixels: int) -> None:
        """Show the text in this size."""
        self.edit.setStyleSheet(f"QPlainTextEdit {{ font-size: {pixels}px; }}")

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.marks.set_colours(colours)
        self.edit.set_colours(colours)

    @Slot(int, int, int)
    def _on_change(self, position: int, removed: int, added: int) -> None:
        replaced = removed >= self._length > 0
        self._length = self.edit.document().characterCount() - 1
        if replaced:
            self.text_replaced.emit()

    @Slot(int)
    def _on_place(self, position: int) -> None:
        self.place_wanted.emit(self._spoken.character_at(position), character_of(self.text, position))
