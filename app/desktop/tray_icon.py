"""An icon in the desktop's tray, from which speech is paused, stopped and begun while other windows are in front.

Closing the window still ends the application, icon or not: an application that goes on out of sight surprises those who
wanted it gone, and whoever wants to listen without the window can minimize it.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.icons import application_icon
from app.main_menu import MainMenu
from app.speech.activity import Activity
from app.speech.status_line import describe
from engine.system.paths import APPLICATION_NAME


class TrayIcon(QSystemTrayIcon):
    """Its menu shares its commands with the menu bar, so that both offer the same at any time."""

    window_wanted = Signal()

    def __init__(self, menu: MainMenu) -> None:
        super().__init__(application_icon(), menu)
        self._commands = QMenu()  # a parent with a window would keep it from being a menu of the tray on some desktops
        self._fill(menu)
        self.setContextMenu(self._commands)
        self.activated.connect(self._on_activated)
        self.follow(Activity())

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Say what is going on."""
        self.setToolTip(f"{APPLICATION_NAME}: {describe(activity)}")

    def _fill(self, menu: MainMenu) -> None:
        self.show_window = QAction("Show Window", self._commands)
        self.show_window.triggered.connect(self.window_wanted)
        self._commands.addActions([menu.play, menu.stop, menu.speak_clipboard])
        self._commands.addSeparator()
        self._commands.addActions([self.show_window, menu.quit])

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        """A click shows the window; on a Mac it opens the menu by itself."""
        if sys.platform != "darwin" and reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.window_wanted.emit()
