"""The find bar, and the search in the text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from app.main_menu import MainMenu
from app.speech.page import SpeechPage
from app.theme import icon
from app.widgets.controls import announce, icon_button

COUNT_AGAIN_AFTER_MS = 200
MAX_SEED_CHARACTERS = 100
"""The maximum length of a selection that is used as the search text."""
Span = tuple[int, int]
"""The positions of the first character and after the last."""
SPACE_PIXELS = 6
MIN_FIELD_PIXELS = 140


class FindBar(QFrame):
    """A field, the number of matches, and buttons for the next and previous match.

    Return finds the next match, Shift+Return the previous one, and Esc closes the bar.
    """

    words_changed = Signal(str)
    next_requested = Signal()
    previous_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Find")
        self.field = _Field(self)
        self.field.setObjectName("find")
        self.field.setPlaceholderText("Find")
        self.field.setAccessibleName("Find")
        self.field.setMinimumWidth(MIN_FIELD_PIXELS)
        self.label = QLabel(self)
        self.label.setObjectName("faint")
        self.label.setAccessibleName("Found")
        self.previous_button = _button("Find previous", icon("up", "text"), self)
        self.next_button = _button("Find next", icon("down", "text"), self)
        self.close_button = _button("Close find bar", icon("close", "faint"), self)
        self._lay_out()
        self._connect()
        self.hide()

    @property
    def order(self) -> tuple[QWidget, ...]:
        """The widgets in Tab order."""
        return self.field, self.previous_button, self.next_button, self.close_button

    def begin_search(self, words: str) -> None:
        """Show the bar with the focus in the field; non-empty `words` replace the search text."""
        if words:
            self.field.setText(words)
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def show_message(self, news: str) -> None:
        """Show the search result."""
        if news and self.isVisible() and news != self.label.text():
            announce(self.label, news)
        self.label.setText(news)
        self.label.setAccessibleDescription(news)

    @Slot()
    def dismiss(self) -> None:
        """Hide the bar."""
        self.hide()
        self.closed.emit()

    def event(self, event: QEvent) -> bool:
        """Reserve Esc, which would otherwise stop playback, for the field and the buttons."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the bar on Esc."""
        if _is_escape(event):
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _connect(self) -> None:
        self.field.textChanged.connect(self.words_changed)
        self.field.next_requested.connect(self.next_requested)
        self.field.previous_requested.connect(self.previous_requested)
        self.next_button.clicked.connect(self.next_requested)
        self.previous_button.clicked.connect(self.previous_requested)
        self.close_button.clicked.connect(self.dismiss)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SPACE_PIXELS, SPACE_PIXELS, SPACE_PIXELS, SPACE_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.field, 1)
        for widget in (self.label, self.previous_button, self.next_button, self.close_button):
            layout.addWidget(widget)


class _Field(QLineEdit):
    """A line edit in which Return searches."""

    next_requested = Signal()
    previous_requested = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Find the next match on Return, the previous one on Shift+Return."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previous_requested if back else self.next_requested).emit()
        else:
            super().keyPressEvent(event)


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape


def _button(title: str, icon: QIcon, parent: QWidget) -> QToolButton:
    button = icon_button(title, icon, parent)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class TextFinder(QObject):
    """Selects matches in the text; the search wraps around."""

    def __init__(self, bar: FindBar, page: SpeechPage, menu: MainMenu) -> None:
        super().__init__(bar)
        self._bar, self._page, self._menu = bar, page, menu
        self._place = 0
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AGAIN_AFTER_MS)
        self._timer.timeout.connect(self._count_again)
        menu.find_text.triggered.connect(self.open_bar)
        menu.find_next.triggered.connect(self.find_next)
        menu.find_previous.triggered.connect(self.find_previous)
        menu.use_selection.triggered.connect(self.use_selection)
        bar.words_changed.connect(self._on_words)
        bar.next_requested.connect(self.find_next)
        bar.previous_requested.connect(self.find_previous)
        bar.closed.connect(page.focus_text)
        page.editor.text_changed.connect(self.on_text)
        self._on_words("")

    @Slot()
    def open_bar(self) -> None:
        """Show the bar, with the selected text as the search text."""
        self._place = self._selected()[0]
        self._bar.begin_search(self._seed())

    @Slot()
    def use_selection(self) -> None:
        """Search for the selected text from now on, whether or not the bar is shown."""
        if seed := self._seed():
            self._place = self._selected()[0]
            self._bar.field.setText(seed)

    @Slot()
    def find_next(self) -> None:
        """Select the next match after the selection."""
        start, end = self._selected()
        matches = self._matches()
        self._show(matches.after(start) if start != end else matches.from_place(start), "the start")

    @Slot()
    def find_previous(self) -> None:
        """Select the match before the selection."""
        self._show(self._matches().before(self._selected()[0]), "the end")

    @Slot(str)
    def _on_words(self, words: str) -> None:
        """Search again from where the search began, so that the selection grows with the search text."""
        self._menu.find_next.setEnabled(bool(words))
        self._menu.find_previous.setEnabled(bool(words))
        if words:
            self._show(self._matches().from_place(self._place), "the start")
        else:
            self._bar.show_message("")

    @Slot()
    def on_text(self) -> None:
        """Count the matches again, because the text has changed."""
        if self._bar.isVisible():
            self._timer.start()

    @Slot()
    def _count_again(self) -> None:
        matches = self._matches()
        match = matches.at(self._selected())
        if match is not None:
            self._bar.show_message(describe_match(match, ""))
        elif self._bar.field.text():
            self._bar.show_message(f"{len(matches.spans):,} found" if matches.spans else "Not found")

    def _seed(self) -> str:
        """Return the selected text; empty if it is too long to search for or spans several lines."""
        start, end = self._selected()
        selected = self._page.view.text[start:end]
        is_seed = "\n" not in selected and len(selected) <= MAX_SEED_CHARACTERS
        return selected if is_seed else ""

    def _matches(self) -> TextMatches:
        return TextMatches.of(self._page.view.text, self._bar.field.text())

    def _show(self, match: TextMatch | None, wrapped_to: str) -> None:
        self._timer.stop()  # the count is up to date
        self._bar.show_message(describe_match(match, wrapped_to))
        if match is None:
            return
        self._place = match.span[0]
        has_focus = self._bar.field.hasFocus()
        self._page.view.select(*match.span)
        if has_focus:
            self._bar.field.setFocus()  # the user may continue typing

    def _selected(self) -> Span:
        """Return the selected characters, or the empty span at the cursor."""
        return self._page.view.span


def describe_match(match: TextMatch | None, wrapped_to: str) -> str:
    """Describe the match, and whether the search wrapped."""
    if match is None:
        return "Not found"
    words = f"{match.number:,} of {match.count:,}"
    return f"{words} · Wrapped to {wrapped_to}" if match.wrapped else words


@dataclass(frozen=True)
class TextMatch:
    """Match `number` (from 1) of `count`; `wrapped` if the search passed an end of the text to find it."""

    span: Span
    number: int
    count: int
    wrapped: bool = False


@dataclass(frozen=True)
class TextMatches:
    """The places of some words in a text, in order and without overlap."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, text: str, words: str) -> TextMatches:
        """Return all matches; empty if `words` is empty."""
        found = re.finditer(re.escape(words), text, re.IGNORECASE) if words else ()
        return cls(tuple(match.span() for match in found))

    def from_place(self, place: int) -> TextMatch | None:
        """Return the first match that starts at this character or later, or else the first of all."""
        index = bisect_left(self.spans, place, key=_start)
        return self._match(index % len(self.spans), wrapped=index == len(self.spans)) if self.spans else None

    def before(self, place: int) -> TextMatch | None:
        """Return the last match that starts before this character, or else the last of all."""
        index = bisect_left(self.spans, place, key=_start) - 1
        return self._match(index % len(self.spans), wrapped=index < 0) if self.spans else None

    def after(self, place: int) -> TextMatch | None:
        """Return the first match that starts after this character, or else the first of all."""
        index = bisect_right(self.spans, place, key=_start)
        return self._match(index % len(self.spans), wrapped=index == len(self.spans)) if self.spans else None

    def at(self, span: Span) -> TextMatch | None:
        """Return the match at exactly this span, if any."""
        index = bisect_left(self.spans, span)
        return self._match(index, wrapped=False) if span in self.spans[index : index + 1] else None

    def _match(self, index: int, *, wrapped: bool) -> TextMatch:
        return TextMatch(self.spans[index], index + 1, len(self.spans), wrapped)


def _start(span: Span) -> int:
    return span[0]
