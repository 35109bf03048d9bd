"""Reports saved files: in the file manager, and by a notification if no window is in front."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.desktop.desktop_entry import PROGRAM
from app.system.desktop import reveal
from app.tasks import Tasks
from engine.system.paths import APPLICATION_NAME


class SavedFiles(QObject):
    """Shows saved files and notifies about them.

    `address` is that of the session bus, which exists on Linux only; `no_file_manager` carries a path that could not be
    shown. Without a bus, the tray icon notifies if it is visible; in any case, the window requests attention.
    """

    no_file_manager = Signal(object)

    def __init__(self, window: QWidget, address: str | None) -> None:
        super().__init__(window)
        self._window = window
        self._address = address
        self._tasks = Tasks("desktop", self, at_once=True)

    @Slot(object)
    def show(self, path: Path) -> None:
        """Show a file or folder in the file manager, selected if possible."""
        if self._address is None:
            self._show_folder(path)
            return
        from app.desktop.bus_call import SHOW_ITEMS, call  # needs a session bus

        done = partial(self._on_answer, path)
        self._tasks.run(call, self._address, SHOW_ITEMS, [path.absolute().as_uri()], "", done=done)

    @Slot(str, str)
    def notify(self, title: str, words: str) -> None:
        """Show a notification, unless a window of this app is in front."""
        if QApplication.activeWindow() is not None:
            return
        QApplication.alert(self._window)
        tray = self._window.findChild(QSystemTrayIcon)
        if self._address is not None:
            from app.desktop.bus_call import NOTIFY, call

            arguments: tuple[object, ...] = (APPLICATION_NAME, 0, PROGRAM, title, words, [], {}, -1)
            self._tasks.run(call, self._address, NOTIFY, *arguments)
        elif tray is not None and tray.isVisible():
            tray.showMessage(title, words)

    def _on_answer(self, path: Path, shown: bool) -> None:
        if not shown:
            self._show_folder(path)

    def _show_folder(self, path: Path) -> None:
        if not reveal(path):
            self.no_file_manager.emit(path)
