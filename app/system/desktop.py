"""What the desktop offers and asks: its file manager, files to open, and on Linux the bus of its programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QProcess, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFileOpenEvent

REVEAL_TITLE = "Reveal in Finder" if sys.platform == "darwin" else "Show in Folder"


def reveal(path: Path) -> bool:
    """Show a file or folder, selected in its parent if the file manager can; return whether there is a file manager.

    Elsewhere than on a Mac, a folder shows what is in it, and a file the folder that it is in.
    """
    if sys.platform == "darwin":
        return QProcess.startDetached("open", ["-R", str(path)])[0]
    folder = path if path.is_dir() else path.parent
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


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


def session_bus_address(environment: Mapping[str, str] = os.environ) -> str | None:
    """Where the bus of this desktop session listens; None if there is none."""
    if sys.platform != "linux":
        return None
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    usual = Path(environment.get("XDG_RUNTIME_DIR", ""), "bus")
    return f"unix:path={usual}" if usual.is_absolute() and usual.exists() else None
