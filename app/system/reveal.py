"""Shows a folder in the system's own file manager."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

REVEAL_TITLE = "Reveal in Finder" if sys.platform == "darwin" else "Show in Folder"


def reveal(folder: Path) -> bool:
    """Show the folder, selected in its parent if the file manager can; return whether there is a file manager."""
    if sys.platform == "darwin":
        return QProcess.startDetached("open", ["-R", str(folder)])[0]
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
