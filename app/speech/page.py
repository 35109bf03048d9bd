"""The contents of the main window and their layout."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.audio.player_panel import PlayerPanel
from app.speech.header_bar import HeaderBar
from app.speech.model_strip import ModelStrip
from app.speech.save_strip import SaveStrip
from app.speech.status_line import StatusLine
from app.speech.text_editor import TextEditor
from app.theme import Colours
from app.widgets.message_banner import MessageBanner

MARGINS_PIXELS = (16, 12, 16, 10)
SPACE_PIXELS = 10


class SpeechPage(QWidget):
    """Header, message, model, file being saved, text above waveform, status, all public.

    The user can move the splitter in the middle.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.header = HeaderBar(self)
        self.banner = MessageBanner(self)
        self.strip = ModelStrip(self)
        self.save_strip = SaveStrip(self)
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.editor = TextEditor(self.split)
        self.player = PlayerPanel(self.split)
        self.status = StatusLine(self)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(SPACE_PIXELS)
        self.split.setStretchFactor(0, 2)
        self.split.setStretchFactor(1, 1)
        self._lay_out()

    @Slot(object)
    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        for widget in (self.header, self.banner, self.strip, self.save_strip, self.editor, self.player):
            widget.set_colours(colours)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*MARGINS_PIXELS)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.header)
        layout.addWidget(self.banner)
        layout.addWidget(self.strip)
        layout.addWidget(self.save_strip)
        layout.addWidget(self.split, 1)
        layout.addWidget(self.status)
