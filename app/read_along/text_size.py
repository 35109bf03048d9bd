"""The size of the text, in steps, remembered from one start to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot

from app.settings import USUAL_TEXT_PIXELS, Settings

SIZES_PIXELS = (10, 12, 14, USUAL_TEXT_PIXELS, 18, 20, 24, 28, 32, 40, 48, 64)


class SizedText(Protocol):
    """A text that can be shown in any size."""

    def set_text_size(self, pixels: int) -> None:
        """Show it in this size."""


class TextSize(QObject):
    """Shows the size that the settings have, and changes both; `changed` carries the pixels."""

    changed = Signal(int)

    def __init__(self, views: Sequence[SizedText], settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._views = views
        self._settings = settings
        self._show(self.pixels)

    @property
    def pixels(self) -> int:
        """The size of the text."""
        return self._settings.text_pixels

    @Slot()
    def enlarge(self) -> None:
        """The next larger size, if there is one."""
        self._become(min((size for size in SIZES_PIXELS if size > self.pixels), default=SIZES_PIXELS[-1]))

    @Slot()
    def reduce(self) -> None:
        """The next smaller size, if there is one."""
        self._become(max((size for size in SIZES_PIXELS if size < self.pixels), default=SIZES_PIXELS[0]))

    @Slot()
    def reset(self) -> None:
        """The usual size."""
        self._become(USUAL_TEXT_PIXELS)

    def _become(self, pixels: int) -> None:
        self._settings.text_pixels = pixels
        self._show(pixels)
        self.changed.emit(pixels)

    def _show(self, pixels: int) -> None:
        for view in self._views:
            view.set_text_size(pixels)
