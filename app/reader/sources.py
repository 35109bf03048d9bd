"""Documents from other sources than the menu: drag and drop, and the clipboard."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.widgets.file_dialogs import local_files

CLIPBOARD_NAME = "Clipboard.html"


class DropTarget(QObject):
    """Lets files be dropped anywhere onto a window, with a hint while dragging; `dropped` carries their paths."""

    dropped = Signal(list)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.hint = _DropHint(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept files that are dragged over the window or dropped onto it; ignore every other event."""
        if event.type() is QEvent.Type.DragLeave:
            self.hint.hide()
        if not isinstance(event, QDropEvent) or not (files := local_files(event.mimeData())):
            return False
        event.acceptProposedAction()
        dropped = event.type() is QEvent.Type.Drop
        self.hint.setVisible(not dropped)
        if dropped:
            self.dropped.emit(files)
        return True


class _DropHint(QFrame):
    """A frame around the window with a hint; mouse events pass through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("dropHint")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        words = QLabel("Drop to Open", self)
        words.setObjectName("dropWords")
        layout = QVBoxLayout(self)
        layout.addWidget(words, 0, Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def setVisible(self, visible: bool) -> None:
        """Cover the window at its current size."""
        if visible:
            self.setGeometry(self.window().rect())
            self.raise_()
        super().setVisible(visible)


class ClipboardPage:
    """A copied part of a web page, as a temporary file that exists while it is open."""

    def __init__(self, page: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kokoro-desk-")
        self.path = Path(self._folder.name) / CLIPBOARD_NAME
        self.path.write_text(f"<meta charset=utf-8>{page}", encoding="utf-8")

    def delete(self) -> None:
        """Delete the file."""
        self._folder.cleanup()
