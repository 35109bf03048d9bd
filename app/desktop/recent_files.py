"""The files that were opened last, offered in the menu; one that is gone is said to be, and dropped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.main_menu import MainMenu
from app.settings import Settings

FILES_KEPT = 10


class RecentFiles(QObject):
    """`chosen` carries the path to open, `missing` that of a file that is not there any more."""

    chosen = Signal(object)
    missing = Signal(object)

    def __init__(self, menu: MainMenu, settings: Settings) -> None:
        super().__init__(menu)
        self._menu = menu
        self._settings = settings
        menu.recent_files_menu.setToolTipsVisible(True)
        menu.recent_files_menu.triggered.connect(self._on_chosen)
        menu.recent_files_menu.aboutToShow.connect(self._offer)

    @Slot(object)
    def remember(self, path: Path) -> None:
        """Let this be the latest."""
        path = path.absolute()
        self._settings.recent_files = [path, *self._others(path)][:FILES_KEPT]

    @Slot()
    def _offer(self) -> None:
        self._menu.offer_files(self._settings.recent_files)

    @Slot(QAction)
    def _on_chosen(self, action: QAction) -> None:
        """Whether a file is there is looked up only now: a disk that sleeps would keep the menu from opening."""
        path = action.data()
        if path is None:
            self._settings.recent_files = []
        elif path.is_file():
            self.chosen.emit(path)
        else:
            self._settings.recent_files = self._others(path)
            self.missing.emit(path)

    def _others(self, path: Path) -> list[Path]:
        return [each for each in self._settings.recent_files if each != path]
