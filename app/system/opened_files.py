"""Files that the desktop asks a running application to open, as the Finder does after a double click."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtGui import QFileOpenEvent


class OpenedFiles(QObject):
    """`opened` carries the path of each such file."""

    opened = Signal(object)

    def __init__(self, qt: QCoreApplication, parent: QObject | None = None) -> None:
        super().__init__(parent or qt)
        qt.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the request to open a file; every other event goes its way, and so does an address of the web."""
        if isinstance(event, QFileOpenEvent) and (name := event.file()):
            self.opened.emit(Path(name))
            return True
        return False
