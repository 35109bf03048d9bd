"""The settings window: a list of pages, and the selected page."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QBoxLayout, QComboBox, QDialog, QFrame, QHBoxLayout, QListWidget, QStackedWidget, QWidget

from app.main_menu import MainMenu
from app.settings import Settings
from app.settings_window.pages import (
    AdvancedPage,
    AppearancePage,
    ExportPage,
    HistoryPage,
    ModelsPage,
    ReadingPage,
    ShortcutsPage,
)
from app.settings_window.sharing_page import SharingPage
from app.sharing.voice_server import VoiceServer
from app.speech.header_bar import HeaderBar

SIZE = QSize(720, 520)
MARGIN_PIXELS = 12
LIST_PADDING_PIXELS = 28
NARROW_LISTS = 4
"""A window narrower than this many list widths has no room for the list beside the page."""


class SettingsWindow(QDialog):
    """The settings window, with public pages.

    Every control takes effect immediately, and stays in sync with the menu and the header. In a
    narrow window, or with large text, the list is replaced by a box above the page.
    """

    def __init__(
        self,
        header: HeaderBar,
        menu: MainMenu,
        settings: Settings,
        server: VoiceServer,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settings")
        self.setWindowTitle("Settings")
        self.resize(SIZE.boundedTo(self.screen().availableSize()))
        self.list = QListWidget(self)
        self.list.setObjectName("settingsList")
        self.list.setAccessibleName("Pages")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.reading = ReadingPage(header, menu.notes, self)
        self.appearance = AppearancePage(menu.appearances, settings, self)
        self.export = ExportPage(settings, self)
        self.history = HistoryPage(settings, self)
        self.models = ModelsPage(header.voices, menu.models, self)
        self.sharing = SharingPage(settings, server, self)
        self.shortcuts = ShortcutsPage(menu, self)
        self.advanced = AdvancedPage(settings, header.voices, self)
        self.box = QComboBox(self)
        self.box.setAccessibleName("Pages")
        self.box.setModel(self.list.model())
        self.box.hide()
        self._stack = QStackedWidget(self)
        for title, page in (
            ("Reading", self.reading),
            ("Appearance", self.appearance),
            ("Export", self.export),
            ("History", self.history),
            ("Models", self.models),
            ("Other Apps", self.sharing),
            ("Shortcuts", self.shortcuts),
            ("Advanced", self.advanced),
        ):
            self.list.addItem(title)
            self._stack.addWidget(page)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._lay_out()
        self.list.currentRowChanged.connect(self._stack.setCurrentIndex)
        self.list.currentRowChanged.connect(self.box.setCurrentIndex)
        self.box.currentIndexChanged.connect(self.list.setCurrentRow)
        self.list.setCurrentRow(0)
        self.list.setFocus()
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self).activated.connect(self.close)

    def show_page(self, page: QWidget) -> None:
        """Select one of the pages."""
        self.list.setCurrentRow(self._stack.indexOf(page))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Switch between the list and the box."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW_LISTS * self.list.width()
        if narrow == self.box.isHidden():  # side by side, both would need too much room
            (self.list if narrow else self.box).hide()
            across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
            self._layout.setDirection(down if narrow else across)
            (self.box if narrow else self.list).show()

    def _lay_out(self) -> None:
        frame = QFrame(self)
        frame.setObjectName("settingsPage")
        inside = QHBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._stack)
        self._layout.setContentsMargins(MARGIN_PIXELS, MARGIN_PIXELS, MARGIN_PIXELS, MARGIN_PIXELS)
        self._layout.setSpacing(MARGIN_PIXELS)
        self._layout.addWidget(self.box)
        self._layout.addWidget(self.list)
        self._layout.addWidget(frame, 1)
        self.list.ensurePolished()
        self.list.setFixedWidth(self.list.sizeHintForColumn(0) + LIST_PADDING_PIXELS)
