"""What is expected of any application, connected to the window: finding."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.find_bar import FindBar
from app.desktop.text_finder import TextFinder
from app.main_window import MainWindow
from app.theme import Theme


class DesktopFeature(QObject):
    """Adds its parts to the window and its menu."""

    def __init__(self, window: MainWindow, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self.find_bar = FindBar(window.page)
        self.finder = TextFinder(self.find_bar, window.page.editor, window.menu)
        self._place_find_bar()
        window.menu.find.triggered.connect(window.page.side_bar.give_way)
        self.find_bar.set_colours(theme.colours)
        theme.changed.connect(self.find_bar.set_colours)

    def _place_find_bar(self) -> None:
        """Below the message, and next in the order of the Tab key."""
        page = self._window.page
        layout = page.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(page.banner) + 1, self.find_bar)
        before: QWidget = page.banner.close_button
        for widget in self.find_bar.order:
            QWidget.setTabOrder(before, widget)
            before = widget
