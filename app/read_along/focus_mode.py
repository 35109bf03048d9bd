"""Nothing but the text and the buttons to play it: lines of a readable length, the spoken one in the middle."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from app.speech.page import SpeechPage

LINE_CHARACTERS = 70


class FocusMode(QObject):
    """Hides parts of a window and brings back those that it hid, at the latest when the window closes.

    What tells something, such as a message or the file being saved, stays.
    """

    changed = Signal(bool)

    def __init__(self, window: QMainWindow, page: SpeechPage) -> None:
        super().__init__(window)
        self._page = page
        self._on = False
        self._panel: QWidget | None = None
        window.installEventFilter(self)

    @property
    def on(self) -> bool:
        """Whether it is on."""
        return self._on

    def set_on(self, on: bool) -> None:
        """Enter or leave it."""
        if on != self._on:
            self._on = on
            self._enter() if on else self._leave()
            self._page.editor.edit.limit_lines(LINE_CHARACTERS if on else None)
            for view in (self._page.editor, self._page.book):
                view.marks.set_centred(on)
                QTimer.singleShot(0, view.marks.keep_in_view)  # once everything has its new size
            self.changed.emit(on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave it before a closing window remembers what it looks like."""
        if event.type() is QEvent.Type.Close:
            self.set_on(False)
        return False

    def _enter(self) -> None:
        page = self._page
        self._panel = page.side_bar.panel
        page.side_bar.close_panel()
        page.show_text()
        page.header.hide()
        page.fold_player(self, folded=True)
        page.focus_text()

    def _leave(self) -> None:
        page = self._page
        page.header.show()
        page.fold_player(self, folded=False)
        if self._panel is not None:
            page.side_bar.open(self._panel)
