"""Where documents come from beside the menu: dropped onto the window, or on the clipboard."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from app.widgets.local_files import local_files

CLIPBOARD_NAME = "Clipboard.html"


class DropTarget(QObject):
    """Lets files be dropped anywhere onto a window; `dropped` carries their paths."""

    dropped = Signal(list)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files that are dragged over the window or dropped onto it; every other event goes its way."""
        if isinstance(event, QDropEvent) and (files := local_files(event.mimeData())):
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.dropped.emit(files)
            return True
        return False


class ClipboardPage:
    """A page of the web that was copied, as a file for as long as it is being read."""

    def __init__(self, page: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kokoro-desk-")
        self.path = Path(self._folder.name) / CLIPBOARD_NAME
        self.path.write_text(f"<meta charset=utf-8>{page}", encoding="utf-8")

    def delete(self) -> None:
        """Delete the file."""
        self._folder.cleanup()
