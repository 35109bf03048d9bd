"""What is expected of any application, connected to the window and the desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon, QVBoxLayout, QWidget

from app.desktop.command_states import CommandStates
from app.desktop.find_bar import FindBar
from app.desktop.pages import help_html, shortcuts_html
from app.desktop.remote import Remote
from app.desktop.session_bus import session_bus_address
from app.desktop.text_finder import TextFinder
from app.desktop.tray_icon import TrayIcon
from app.main_window import MainWindow
from app.settings import Settings
from app.speech.controller import SpeechController
from app.widgets.page import Page
from engine.system.paths import APPLICATION_NAME

if TYPE_CHECKING:
    from app.desktop.mpris import Mpris


class DesktopFeature(QObject):
    """Adds its parts to the window and its menu; `next_wanted` and `previous_wanted` come from the desktop's keys."""

    next_wanted = Signal()
    previous_wanted = Signal()

    def __init__(self, window: MainWindow, controller: SpeechController, settings: Settings) -> None:
        super().__init__(window)
        self._window, self._controller = window, controller
        self._settings = settings
        self._mpris: Mpris | None = None
        self.find_bar = FindBar(window.page)
        self.finder = TextFinder(self.find_bar, window.page, window.menu)
        window.reading.text_changed.connect(self.finder.on_text)
        self._place_find_bar()
        self.states = CommandStates(window, controller)
        window.menu.speak_clipboard.triggered.connect(self.speak_clipboard)
        window.menu.help.triggered.connect(self.show_help)
        window.menu.shortcuts.triggered.connect(self.show_shortcuts)
        for search in (window.menu.find_text, window.menu.find_next, window.menu.find_previous):
            search.triggered.connect(window.page.show_text)
        window.page.home_changed.connect(self._on_home)

    def begin(self) -> None:
        """Do what can wait until the window is shown."""
        address = session_bus_address()
        if address is not None:
            self._join_bus(address)
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._add_tray_icon()

    def shut_down(self, timeout_seconds: float) -> bool:
        """Leave the desktop; return whether that was done in time."""
        return self._mpris is None or self._mpris.end(timeout_seconds)

    @Slot()
    def speak_clipboard(self) -> None:
        """Speak the text that was copied last, in place of the one in the editor, which is among the recent texts."""
        if text := QGuiApplication.clipboard().text():
            self._window.memory.lend_text(text)
            self._window.reading.play_from_beginning()

    @Slot()
    def show_help(self) -> Page:
        """Show how to use the application."""
        return self._show(f"{APPLICATION_NAME} Help", help_html(self._window.menu))

    @Slot()
    def show_shortcuts(self) -> Page:
        """Show the keys of every command."""
        return self._show("Keyboard Shortcuts", shortcuts_html(self._window.menu))

    def _show(self, title: str, html: str) -> Page:
        page = Page(title, html, self._window)
        page.show()
        return page

    def _add_tray_icon(self) -> None:
        """Where there is a tray."""
        self.tray_icon = TrayIcon(self._window.menu)
        self.tray_icon.follow(self._controller.activity)
        self._controller.activity_changed.connect(self.tray_icon.follow)
        self.tray_icon.window_wanted.connect(self._window.come_to_front)
        self.tray_icon.setVisible(self._settings.tray_icon)
        self._settings.changed.connect(self._on_setting)

    @Slot(object)
    def _on_setting(self, setting: object) -> None:
        if setting is Settings.tray_icon:
            self.tray_icon.setVisible(self._settings.tray_icon)

    def _join_bus(self, address: str) -> None:
        from app.desktop.mpris import Mpris  # not before the window is shown

        remote, mpris = Remote(self._controller, self._window.reading, self._window.menu), Mpris(address, self)
        remote.changed.connect(mpris.show)
        remote.position_changed.connect(mpris.show_position)
        remote.sought.connect(mpris.tell_position)
        remote.next_wanted.connect(self.next_wanted)
        remote.previous_wanted.connect(self.previous_wanted)
        remote.raise_wanted.connect(self._window.come_to_front)
        remote.quit_wanted.connect(self._window.close)
        mpris.ordered.connect(remote.take)
        mpris.begin(remote.now)
        self._mpris = mpris

    @Slot(bool)
    def _on_home(self, shown: bool) -> None:
        """There is no text to find something in."""
        if shown:
            self.find_bar.hide()

    def _place_find_bar(self) -> None:
        """Above the text, and the side bar beside it, and before them in the order of the Tab key."""
        page = self._window.page
        layout = page.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(page.columns), self.find_bar)
        before: QWidget = page.save_strip.close_button
        for widget in self.find_bar.order:
            QWidget.setTabOrder(before, widget)
            before = widget
