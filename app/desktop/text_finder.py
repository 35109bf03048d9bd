"""Finds words in the editor's text as they are typed into the find bar."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from app.desktop.find_bar import FindBar
from app.desktop.text_search import Match, Matches, Span
from app.main_menu import MainMenu
from app.speech.page import SpeechPage

COUNT_AGAIN_AFTER_MS = 200
LONGEST_SEED_CHARACTERS = 100
"""A longer selection is hardly what somebody wants to find."""


class TextFinder(QObject):
    """Selects in the text what was found; the search goes on at the other end when it comes to one."""

    def __init__(self, bar: FindBar, page: SpeechPage, menu: MainMenu) -> None:
        super().__init__(bar)
        self._bar, self._page, self._menu = bar, page, menu
        self._place = 0
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AGAIN_AFTER_MS)
        self._timer.timeout.connect(self._count_again)
        menu.find_text.triggered.connect(self.begin)
        menu.find_next.triggered.connect(self.find_next)
        menu.find_previous.triggered.connect(self.find_previous)
        menu.use_selection.triggered.connect(self.use_selection)
        bar.words_changed.connect(self._on_words)
        bar.next_wanted.connect(self.find_next)
        bar.previous_wanted.connect(self.find_previous)
        bar.closed.connect(page.focus_text)
        page.editor.text_changed.connect(self.on_text)
        self._on_words("")

    @Slot()
    def begin(self) -> None:
        """Show the bar, with what is selected in the text."""
        self._place = self._selected()[0]
        self._bar.begin(self._seed())

    @Slot()
    def use_selection(self) -> None:
        """Look for what is selected from now on, whether or not the bar is shown."""
        if seed := self._seed():
            self._place = self._selected()[0]
            self._bar.field.setText(seed)

    @Slot()
    def find_next(self) -> None:
        """Select the next match behind what is selected."""
        start, end = self._selected()
        matches = self._matches()
        self._show(matches.after(start) if start != end else matches.from_place(start), "the start")

    @Slot()
    def find_previous(self) -> None:
        """Select the match before what is selected."""
        self._show(self._matches().before(self._selected()[0]), "the end")

    @Slot(str)
    def _on_words(self, words: str) -> None:
        """Search anew from where the search began, so that the selection grows with the words."""
        self._menu.find_next.setEnabled(bool(words))
        self._menu.find_previous.setEnabled(bool(words))
        if words:
            self._show(self._matches().from_place(self._place), "the start")
        else:
            self._bar.tell("")

    @Slot()
    def on_text(self) -> None:
        """Count again, since another text is shown."""
        if self._bar.isVisible():
            self._timer.start()

    @Slot()
    def _count_again(self) -> None:
        matches = self._matches()
        match = matches.at(self._selected())
        if match is not None:
            self._bar.tell(found_words(match, ""))
        elif self._bar.field.text():
            self._bar.tell(f"{len(matches.spans):,} found" if matches.spans else "Not found")

    def _seed(self) -> str:
        """What is selected; empty if that is too long to be looked for, or on several lines."""
        start, end = self._selected()
        selected = self._page.view.text[start:end]
        is_seed = "\n" not in selected and len(selected) <= LONGEST_SEED_CHARACTERS
        return selected if is_seed else ""

    def _matches(self) -> Matches:
        return Matches.of(self._page.view.text, self._bar.field.text())

    def _show(self, match: Match | None, wrapped_to: str) -> None:
        self._timer.stop()  # this was counted in the text as it is now
        self._bar.tell(found_words(match, wrapped_to))
        if match is None:
            return
        self._place = match.span[0]
        has_focus = self._bar.field.hasFocus()
        self._page.view.select(*match.span)
        if has_focus:
            self._bar.field.setFocus()  # to type on

    def _selected(self) -> Span:
        """The characters that are selected in the text, or those between which the cursor stands."""
        return self._page.view.span


def found_words(match: Match | None, wrapped_to: str) -> str:
    """What was found, and whether the search went on at another place."""
    if match is None:
        return "Not found"
    words = f"{match.number:,} of {match.count:,}"
    return f"{words}, from {wrapped_to} again" if match.wrapped else words
