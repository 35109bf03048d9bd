"""Shows files in the system's own file manager."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

REVEAL_TITLE = "Reveal in Finder" if sys.platform == "darwin" else "Show in Folder"


def reveal(path: Path) -> bool:
    """Show a file or folder, selected in its parent if the file manager can; return whether there is a file manager.

    Elsewhere than on a Mac, a folder shows what is in it, and a file the folder that it is in.
    """
    if sys.platform == "darwin":
        return QProcess.startDetached("open", ["-R", str(path)])[0]
    folder = path if path.is_dir() else path.parent
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
