"""The choice of a cover picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.widgets.file_dialogs import ask_which_picture
from engine.errors import EngineError
from engine.export.export_job import read_cover

SIDE_PIXELS = 72


class CoverChoice(QWidget):
    """A cover picture with buttons to choose or remove it.

    `picture` is a JPEG or PNG, or None; `refused` carries the reason why a chosen picture can't be used.
    """

    refused = Signal(str)

    def __init__(self, picture: bytes | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: bytes | None = None
        self._shown = QLabel(self)
        self._shown.setFixedSize(SIDE_PIXELS, SIDE_PIXELS)
        self._shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._shown.setObjectName("cover")
        self.choose_button = QPushButton("Choose…", self)
        self.choose_button.setAccessibleName("Choose a Cover")
        self.remove_button = QPushButton("Remove", self)
        self.remove_button.setAccessibleName("Remove the Cover")
        for button in (self.choose_button, self.remove_button):
            button.setAutoDefault(False)
        self.choose_button.clicked.connect(self._choose)
        self.remove_button.clicked.connect(self._remove)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._shown)
        layout.addWidget(self.choose_button)
        layout.addWidget(self.remove_button)
        layout.addStretch(1)
        self.show_picture(picture)

    def use_picture(self, path: Path) -> None:
        """Use this picture as the cover, or emit `refused`."""
        try:
            self.show_picture(read_cover(path))
        except EngineError as error:
            self.refused.emit(str(error))

    @Slot()
    def _choose(self) -> None:
        ask_which_picture(self, self.use_picture)

    @Slot()
    def _remove(self) -> None:
        self.show_picture(None)

    def show_picture(self, picture: bytes | None) -> None:
        """Use this picture as the cover."""
        self.picture = picture
        self.remove_button.setEnabled(picture is not None)
        pixmap = QPixmap()
        if picture is not None and pixmap.loadFromData(picture):
            keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            self._shown.setPixmap(pixmap.scaled(self._shown.size(), keep, smooth))
            self._shown.setAccessibleName("Cover")
        else:
            self._shown.setText("None" if picture is None else "No preview")
            self._shown.setAccessibleName("No cover" if picture is None else "Cover (preview not available)")
