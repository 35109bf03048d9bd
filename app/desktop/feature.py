"""The standard features of a desktop app, connected to the window and the desktop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QVBoxLayout, QWidget

from app.desktop.pages import help_html, shortcuts_html
from app.desktop.remote import Remote
from app.desktop.text_finder import FindBar, TextFinder
from app.main_menu import MainMenu
from app.main_window import MainWindow
from app.settings import DEFAULT_PAUSES, DEFAULT_SPEED, Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.speech.sliders import MAX_PAUSES
from app.speech.status_line import describe
from app.system.desktop import session_bus_address
from app.theme import application_icon
from app.widgets.windows import TextWindow
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED
from engine.system.paths import APPLICATION_NAME

if TYPE_CHECKING:
    from app.desktop.mpris import Mpris


class DesktopFeature(QObject):
    """The desktop features of the window; `next_requested` and `previous_requested` come from media keys."""

    next_requested = Signal()
    previous_requested = Signal()

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

    def join_desktop(self) -> None:
        """Start the parts that can wait until the window is shown."""
        address = session_bus_address()
        if address is not None:
            self._join_bus(address)
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._add_tray_icon()

    def shut_down(self, timeout_ms: int) -> bool:
        """Leave the session bus; return whether that succeeded in time."""
        return self._mpris is None or self._mpris.end(timeout_ms)

    @Slot()
    def speak_clipboard(self) -> None:
        """Speak the text on the clipboard instead of the one in the editor, which is saved among the recent texts."""
        if text := QGuiApplication.clipboard().text():
            self._window.memory.lend_text(text)
            self._window.reading.play_from_beginning()

    @Slot()
    def show_help(self) -> TextWindow:
        """Show the help page."""
        return self._show(f"{APPLICATION_NAME} Help", help_html(self._window.menu))

    @Slot()
    def show_shortcuts(self) -> TextWindow:
        """Show the shortcuts of every command."""
        return self._show("Keyboard Shortcuts", shortcuts_html(self._window.menu))

    def _show(self, title: str, html: str) -> TextWindow:
        page = TextWindow(title, html, self._window)
        page.show()
        return page

    def _add_tray_icon(self) -> None:
        """Add the tray icon; call this only if the desktop has a tray."""
        self.tray_icon = TrayIcon(self._window.menu)
        self.tray_icon.show_activity(self._controller.activity)
        self._controller.activity_changed.connect(self.tray_icon.show_activity)
        self.tray_icon.window_requested.connect(self._window.come_to_front)
        self.tray_icon.setVisible(self._settings.tray_icon)
        self._settings.changed.connect(self._on_setting)

    @Slot(object)
    def _on_setting(self, setting: object) -> None:
        if setting is Settings.tray_icon:
            self.tray_icon.setVisible(self._settings.tray_icon)

    def _join_bus(self, address: str) -> None:
        from app.desktop.mpris import Mpris  # imported only after the window is shown

        remote, mpris = Remote(self._controller, self._window.reading, self._window.menu), Mpris(address, self)
        remote.changed.connect(mpris.show)
        remote.position_changed.connect(mpris.show_position)
        remote.sought.connect(mpris.send_position)
        remote.next_requested.connect(self.next_requested)
        remote.previous_requested.connect(self.previous_requested)
        remote.raise_requested.connect(self._window.come_to_front)
        remote.quit_requested.connect(self._window.close)
        mpris.ordered.connect(remote.handle_command)
        mpris.join_bus(remote.now)
        self._mpris = mpris

    @Slot(bool)
    def _on_home(self, shown: bool) -> None:
        """Hide the find bar, since the home page has no text to search."""
        if shown:
            self.find_bar.hide()

    def _place_find_bar(self) -> None:
        """Put the find bar above the text and the side bar, and before them in the Tab order."""
        page = self._window.page
        layout = page.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(page.columns), self.find_bar)
        before: QWidget = page.save_strip.close_button
        for widget in self.find_bar.order:
            QWidget.setTabOrder(before, widget)
            before = widget


class TrayIcon(QSystemTrayIcon):
    """The tray icon, whose menu shares its commands with the menu bar, so that both always match.

    Closing the window ends the app even with a tray icon: an app that continues invisibly surprises users who wanted to
    quit, and the window can be minimized instead.
    """

    window_requested = Signal()

    def __init__(self, menu: MainMenu) -> None:
        super().__init__(application_icon(), menu)
        self._commands = QMenu()  # a parent with a window would keep it from being a tray menu on some desktops
        self._fill(menu)
        self.setContextMenu(self._commands)
        self.activated.connect(self._on_activated)
        self.show_activity(Activity())

    @Slot(object)
    def show_activity(self, activity: Activity) -> None:
        """Show the current activity in the tooltip."""
        self.setToolTip(f"{APPLICATION_NAME}: {describe(activity)}")

    def _fill(self, menu: MainMenu) -> None:
        self.show_window = QAction("Show Window", self._commands)
        self.show_window.triggered.connect(self.window_requested)
        self._commands.addActions([menu.play, menu.stop, menu.speak_clipboard])
        self._commands.addSeparator()
        self._commands.addActions([self.show_window, menu.quit])

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        """Show the window on a click; on a Mac, a click opens the menu by itself."""
        if sys.platform != "darwin" and reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.window_requested.emit()


class CommandStates(QObject):
    """Enables menu commands as the text, playback, voices, speed and clipboard change.

    The menu itself manages Stop and the editing commands.
    """

    def __init__(self, window: MainWindow, controller: SpeechController) -> None:
        super().__init__(window)
        self._menu, self._page, self._controller = window.menu, window.page, controller
        self._reading = window.reading
        self._page.editor.text_changed.connect(self._follow_text)
        self._reading.text_changed.connect(self._follow_text)
        controller.activity_changed.connect(self._follow_speech)
        controller.track_changed.connect(self._follow_speech)
        controller.track_grew.connect(self._follow_speech)
        controller.voices_listed.connect(self._follow_voices)
        self._page.header.speed.speed_changed.connect(self._follow_speed)
        self._page.header.pauses.pauses_changed.connect(self._follow_pauses)
        QGuiApplication.clipboard().dataChanged.connect(self._follow_clipboard)
        self._follow_text()
        self._follow_speech()
        self._follow_speed(self._page.header.speed.speed)
        self._follow_pauses(self._page.header.pauses.pause_scale)
        self._follow_clipboard()

    @Slot()
    def _follow_text(self) -> None:
        menu, text = self._menu, self._reading.text
        self._has_text = bool(text.strip())
        for action in (menu.speak_from_here, menu.from_beginning, menu.save, menu.add_to_queue, menu.queue_file):
            action.setEnabled(self._has_text)
        menu.find_text.setEnabled(bool(text))
        self._follow_speech()
        self._follow_voices()

    @Slot()
    def _follow_speech(self) -> None:
        heard = self._controller.track.length > 0 or self._controller.activity.making
        for action in (self._menu.back, self._menu.forward):
            action.setEnabled(heard)
        self._menu.play.setEnabled(heard or self._has_text)

    @Slot()
    def _follow_voices(self) -> None:
        known = self._page.header.voices.known
        self._menu.preview.setEnabled(known)

    @Slot(float)
    def _follow_speed(self, speed: float) -> None:
        self._menu.faster.setEnabled(speed < FASTEST_SPEED)
        self._menu.slower.setEnabled(speed > SLOWEST_SPEED)
        self._menu.normal_speed.setEnabled(speed != DEFAULT_SPEED)

    @Slot(float)
    def _follow_pauses(self, scale: float) -> None:
        self._menu.longer_pauses.setEnabled(scale < MAX_PAUSES)
        self._menu.shorter_pauses.setEnabled(scale > 0)
        self._menu.normal_pauses.setEnabled(scale != DEFAULT_PAUSES)

    @Slot()
    def _follow_clipboard(self) -> None:
        copied = QGuiApplication.clipboard().mimeData()  # None until anything is copied
        self._menu.speak_clipboard.setEnabled(bool(copied) and copied.hasText())
        self._menu.open_clipboard.setEnabled(
            bool(copied) and any((copied.hasText(), copied.hasHtml(), copied.hasUrls()))
        )
