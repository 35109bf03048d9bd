"""The contents of the main window and their layout."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.audio.player_panel import PlayerPanel
from app.book.book_view import BookView
from app.speech.header_bar import HeaderBar
from app.speech.status_line import StatusLine
from app.speech.strips import ModelBar, SaveBar
from app.speech.text_editor import TextEditor
from app.widgets.elided_text import ElidedButton
from app.widgets.layouts import ScrollingBody
from app.widgets.message_banner import MessageBanner
from app.widgets.side_bar import SideBar

MARGINS_PIXELS = (16, 12, 16, 10)
SPACE_PIXELS = 10
DEFAULT_SPLIT = 300, 150
"""The default heights of text and player, in proportion."""
NARROW_PIXELS = 800
"""The minimum width for the side bar beside the text."""


class SpeechPage(QWidget):
    """The window's contents, all public: header, notices, side bar beside text above waveform, status.

    The user can move the splitters in the middle. In a narrow window the side bar replaces the text; the home page
    replaces it in any window, and `home_changed` is emitted when it is shown or hidden.
    """

    home_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unfolded = QByteArray()
        self._folded_by: frozenset[object] = frozenset()
        self.header = HeaderBar(self)
        space = QWidget()
        self.banner = MessageBanner(space)
        self.strip = ModelBar(space)
        self.save_strip = SaveBar(space)
        self.notices = ScrollingBody(space, self)
        self.columns = _Columns(Qt.Orientation.Horizontal, self)
        self.side_bar = SideBar(self.columns)
        self.split = QSplitter(Qt.Orientation.Vertical, self.columns)
        place = QWidget(self.split)
        self._in_place = QVBoxLayout(place)
        self.views = QStackedWidget(place)
        self.editor = TextEditor(self.views)
        self.book = BookView(self.views)
        self.view: TextEditor | BookView = self.editor
        self.playing = ElidedButton()
        self.player = PlayerPanel(self.playing, self.split)
        self.status = StatusLine(self)
        self.playing.setObjectName("pointer")
        self.show_playing("")
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(SPACE_PIXELS)
        self.split.setStretchFactor(0, 2)
        self.columns.setChildrenCollapsible(False)
        self.columns.setHandleWidth(SPACE_PIXELS)
        self.columns.setStretchFactor(0, 0)
        self.columns.setStretchFactor(1, 1)
        self._lay_out()
        self._on_silence(self.player.silent)
        self.player.silence_changed.connect(self._on_silence)
        self.columns.splitterMoved.connect(self._on_width)
        self.side_bar.changed.connect(self._place_side_bar)
        self.side_bar.focus_left.connect(self.focus_text)

    def show_playing(self, title: str) -> None:
        """Show the title of the audio; a click leads to its source."""
        self.playing.set_text(title)
        self.playing.setAccessibleName(f"Show what is playing: {title}")
        self.playing.setVisible(bool(title))
        self._fold()

    @property
    def home_shown(self) -> bool:
        """True if home is shown instead of the text."""
        return self.views.currentWidget() not in (self.editor, self.book)

    def show_view(self, view: TextEditor | BookView) -> None:
        """Show the user's own text or a book, now or after home; it takes the keyboard focus if the text had it."""
        self.view = view
        if not self.home_shown:
            self._show(view)

    def show_home(self, home: QWidget) -> None:
        """Show the home page, one of the `views`, instead of the text, with the keyboard focus."""
        self.side_bar.give_way()
        self._show(home)
        home.setFocus()
        self.home_changed.emit(True)

    @Slot()
    def show_text(self) -> None:
        """Show the text, after a choice that takes effect there."""
        self.side_bar.give_way()
        if self.home_shown:
            self._show(self.view)
            self.home_changed.emit(False)

    def _show(self, widget: QWidget) -> None:
        focused = self.views.isAncestorOf(self.focusWidget() or self)
        self.views.setCurrentWidget(widget)
        if focused:
            widget.setFocus()

    @Slot()
    def focus_text(self) -> None:
        """Give the keyboard focus to the text, or to home."""
        (self.views.currentWidget() or self.view).setFocus()

    @property
    def split_state(self) -> QByteArray:
        """The division of the height while the player is not folded; empty for the default."""
        return self._unfolded if self._folded_by else self.split.saveState()

    @split_state.setter
    def split_state(self, state: QByteArray) -> None:
        self._unfolded = state
        if not self._folded_by and not self.split.restoreState(state):
            self.split.setSizes(DEFAULT_SPLIT)

    def fold_player(self, by: object, *, folded: bool) -> None:
        """Give the waveform's room to the text, or take it back once no caller wants the player folded."""
        state = self.split_state
        self._folded_by = self._folded_by | {by} if folded else self._folded_by - {by}
        if bool(self._folded_by) == self.player.wave.isHidden():
            return
        self.player.wave.setHidden(folded)
        self.split.handle(1).setDisabled(folded)
        self.split.setStretchFactor(1, 0 if folded else 1)
        self.split_state = state
        self._fold()

    def _fold(self) -> None:
        if self._folded_by:
            self.split.setSizes([self.split.height(), 0])  # no less than it needs

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the side bar to where there is room for it."""
        super().resizeEvent(event)
        self._place_side_bar()

    @Slot(bool)
    def _on_silence(self, silent: bool) -> None:
        self.fold_player(self.player, folded=silent)

    @Slot()
    def _place_side_bar(self) -> None:
        bar, shown = self.side_bar, self.side_bar.panel is not None
        instead = self.width() < NARROW_PIXELS
        if instead != bar.instead:
            bar.instead = instead
            if instead:
                self._in_place.addWidget(bar)
            else:
                self.columns.insertWidget(0, bar)
            bar.setVisible(shown)
        if shown and not instead:
            self.columns.setSizes([bar.width_pixels, self.columns.width() - bar.width_pixels])
        if shown and instead and self.views.isAncestorOf(self.focusWidget()):
            bar.tabs.setFocus()  # not the widget after the text
        self.views.setHidden(shown and instead)

    @Slot()
    def _on_width(self) -> None:
        self.side_bar.width_pixels = self.columns.sizes()[0]

    def _lay_out(self) -> None:
        self._in_place.setContentsMargins(0, 0, 0, 0)
        self.views.addWidget(self.editor)
        self.views.addWidget(self.book)
        self._in_place.addWidget(self.views)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*MARGINS_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        layout.addLayout(self._lay_out_top())
        layout.addWidget(self.columns, 1)
        layout.addWidget(self.status)

    def _lay_out_top(self) -> QVBoxLayout:
        """Return the header with the notices below it, which scroll if there is not enough room."""
        space = QVBoxLayout(self.notices.body)
        space.setContentsMargins(0, SPACE_PIXELS, 0, 0)
        space.setSpacing(SPACE_PIXELS)
        for strip in (self.banner, self.strip, self.save_strip):
            space.addWidget(strip)
        space.addStretch(1)
        top = QVBoxLayout()
        top.setSpacing(0)
        top.addWidget(self.header)
        top.addWidget(self.notices)
        return top


class _Columns(QSplitter):
    """A splitter that takes the remaining space, and shrinks first if there is little room."""

    def sizeHint(self) -> QSize:
        """Return the minimum size."""
        return self.minimumSizeHint()
