"""One chapter of a book, to read along with, shown instead of the editor."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtGui import QFont, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.book.book_edit import NOTHING, BookEdit
from app.book.pictures import LoadPicture
from app.widgets.place_chooser import MARGIN_PIXELS
from app.widgets.reading_marks import ReadingChip, ReadingMarks
from app.widgets.text_views import span_in
from engine.speech import SpokenWord, Utterance
from engine.text.documents import Chapter

TEXT_PIXELS = 16

Span = tuple[int, int]
"""Characters of the chapter, from the first up to the last."""


class BookView(QFrame):
    """Shows a chapter, which cannot be edited; places in it are characters of its text.

    The view follows playback until the user scrolls or goes to a different place; `resume_following`, or the chip that
    appears once the current word is out of view, resumes that. `place_requested` carries the place from which the user
    wants to play the chapter: its character in the spoken text, None if that is a different text, and in the chapter.
    `sentence_requested` carries -1 for the sentence before, 1 for the next. `selection_changed` carries whether the
    user has selected text.
    """

    place_requested = Signal(object, int)
    toggle_requested = Signal()
    sentence_requested = Signal(int)
    selection_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("book")
        self.edit = BookEdit(self)
        self.setFocusProxy(self.edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PIXELS // 2, MARGIN_PIXELS // 2, 2, MARGIN_PIXELS // 2)
        layout.addWidget(self.edit)
        self.marks = ReadingMarks(self.edit)
        self.chip = ReadingChip(self)
        self._chapter = NOTHING
        self._spoken = False  # whether this chapter is the spoken text
        self._spoken_text = ""
        self._marked: tuple[Span, Span | None] | None = None
        self._bookmarks: Sequence[int] = ()
        self._pixels = TEXT_PIXELS
        self._reading_font = QFont()
        self._selecting = False
        self._selected = False
        self._apply_font()
        self._connect()

    @property
    def chapter(self) -> Chapter:
        """The chapter on display."""
        return self._chapter

    @property
    def text(self) -> str:
        """The text of the chapter."""
        return self._chapter.text

    @property
    def span(self) -> Span:
        """The selected characters, from the first up to the last, or those between which the cursor is."""
        cursor, positions = self.edit.textCursor(), self.edit.positions
        return positions.character(cursor.selectionStart()), positions.character(cursor.selectionEnd())

    @property
    def selection(self) -> Span | None:
        """The characters that the user has selected; None if none are, or the program selected them."""
        return self.span if self._selected else None

    def copy(self) -> None:
        """Copy the selection."""
        self.edit.copy()

    def select_all(self) -> None:
        """Select everything."""
        self.edit.selectAll()

    @property
    def cursor_character(self) -> int:
        """The character at the last click or `place_cursor` call."""
        return self.edit.positions.character(self.edit.textCursor().position())

    def character_at(self, place: QPoint) -> int:
        """Return the character nearest to a place in the viewport of the edit."""
        return self.edit.positions.character(self.edit.cursorForPosition(place).position())

    def show_chapter(self, chapter: Chapter, load_picture: LoadPicture) -> None:
        """Show a chapter from its start on; if it is being spoken, it is marked from the next word on."""
        self._mark(None)
        self._chapter = chapter
        self._spoken = chapter.text == self._spoken_text
        self.edit.show_chapter(chapter, load_picture)
        self.show_bookmarks(())

    def show_bookmarks(self, characters: Sequence[int]) -> None:
        """Show bookmarks at these characters."""
        self._bookmarks = characters
        self.edit.ribbons.show([self.edit.positions.position(each) for each in characters])

    def select(self, start: int, end: int) -> None:
        """Select characters and bring them into view."""
        self.marks.leave()
        self._selecting = True
        self.edit.setTextCursor(self._cursor((start, end)))
        self._selecting = False
        self.edit.center(self.edit.positions.position(start))
        self.edit.setFocus()

    def place_cursor(self, character: int) -> None:
        """Put the cursor before a character and bring it into view."""
        self.edit.setTextCursor(self._cursor((character, character)))
        self.edit.center(self.edit.positions.position(character))

    def begin_speech(self, text: str) -> None:
        """Start following a new spoken text, forgetting the one before."""
        self._mark(None)
        self._spoken_text = text
        self._spoken = text == self._chapter.text

    def remember_spans(self, utterances: Sequence[Utterance]) -> None:
        """Do nothing: the chapter cannot be edited, so all utterances stay in place."""

    @Slot(object)
    def mark(self, utterance: Utterance | None) -> None:
        """Mark the current utterance, and keep it in view while following."""
        self._mark(((utterance.start, utterance.end), None) if utterance is not None else None)

    def mark_word(self, utterance: Utterance, start: int, end: int, word: SpokenWord | None) -> None:
        """Mark characters `start` to `end` of the spoken text, a sentence, and in it the current word."""
        self._mark(((start, end), (word.start, word.end) if word is not None else None))

    @Slot()
    def resume_following(self) -> None:
        """Keep the current word in view from now on."""
        self.marks.resume_following()

    def set_text_size(self, pixels: int) -> None:
        """Show the text in this size."""
        self._pixels = pixels
        self._apply_font()

    def set_reading_font(self, font: QFont) -> None:
        """Show the text in this font, at the view's own size."""
        self._reading_font = font
        self._apply_font()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current word in view."""
        super().resizeEvent(event)
        self.marks.keep_in_view()

    def _connect(self) -> None:
        edit = self.edit
        edit.scrolled.connect(self.marks.leave)
        edit.selectionChanged.connect(self._on_selection)
        edit.place_requested.connect(self._on_place)
        edit.toggle_requested.connect(self.toggle_requested)
        edit.sentence_requested.connect(self.sentence_requested)
        edit.document_leaves.connect(self._on_document_leaves)
        edit.document_replaced.connect(self._on_document_replaced)
        self.marks.left_changed.connect(self.chip.show_left)
        self.chip.clicked.connect(self.resume_following)

    def _apply_font(self) -> None:
        font = QFont(self._reading_font)
        font.setPixelSize(self._pixels)
        self.edit.setFont(font)

    def _cursor(self, span: Span) -> QTextCursor:
        return span_in(self.edit.document(), *map(self.edit.positions.position, span))

    def _mark(self, marked: tuple[Span, Span | None] | None) -> None:
        self._marked = marked if self._spoken else None
        self._show_marks()

    def _show_marks(self) -> None:
        sentence, word = self._marked or (None, None)
        self.marks.show(*(self._cursor(span) if span is not None else None for span in (sentence, word)))

    @Slot()
    def _on_document_leaves(self) -> None:
        self.marks.show(None)  # places in a deleted document are invalid

    @Slot()
    def _on_document_replaced(self) -> None:
        self._show_marks()
        self.show_bookmarks(self._bookmarks)

    @Slot()
    def _on_selection(self) -> None:
        selected = self.edit.textCursor().hasSelection() and not self._selecting
        if selected != self._selected:
            self._selected = selected
            self.selection_changed.emit(selected)

    @Slot(int)
    def _on_place(self, position: int) -> None:
        character = self.edit.positions.character(position)
        self.place_requested.emit(character if self._spoken else None, character)
