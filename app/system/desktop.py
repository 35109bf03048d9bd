"""Desktop integration: the file manager, files to open and, on Linux, the session bus."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QProcess, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFileOpenEvent

REVEAL_TITLE = "Reveal in Finder" if sys.platform == "darwin" else "Show in Folder"


def reveal(path: Path) -> bool:
    """Show a file or folder, selected in its parent if possible; return whether there is a file manager.

    On systems other than macOS, a folder is opened itself, and for a file its folder.
    """
    if sys.platform == "darwin":
        return QProcess.startDetached("open", ["-R", str(path)])[0]
    folder = path if path.is_dir() else path.parent
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class OpenedFiles(QObject):
    """Receives the system's requests to open files; `opened` carries the path of each file."""

    opened = Signal(object)

    def __init__(self, qt: QCoreApplication, parent: QObject | None = None) -> None:
        super().__init__(parent or qt)
        qt.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle requests to open a file; pass on every other event, including requests to open web addresses."""
        if isinstance(event, QFileOpenEvent) and (name := event.file()):
            self.opened.emit(Path(name))
            return True
        return False


def session_bus_address(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the address of this desktop session's bus; None if there is none."""
    if sys.platform != "linux":
        return None
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    default_address = Path(environment.get("XDG_RUNTIME_DIR", ""), "bus")
    return f"unix:path={default_address}" if default_address.is_absolute() and default_address.exists() else None
