"""The font and the size of the text, in steps, stored in the settings."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.settings import DEFAULT_TEXT_PIXELS, Settings
from app.speech.page import SpeechPage
from app.theme import reading_font

SIZES_PIXELS = (10, 12, 14, DEFAULT_TEXT_PIXELS, 18, 20, 24, 28, 32, 40, 48, 64)


class TextSize(QObject):
    """Applies the font and size from the settings, and changes the size; `changed` carries the pixels."""

    changed = Signal(int)

    def __init__(self, page: SpeechPage, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._page = page
        self._settings = settings
        self._show()
        settings.changed.connect(self._on_setting)

    @property
    def pixels(self) -> int:
        """The size of the text."""
        return self._settings.text_pixels

    @Slot()
    def enlarge(self) -> None:
        """Choose the next larger size, if there is one."""
        self._become(min((size for size in SIZES_PIXELS if size > self.pixels), default=SIZES_PIXELS[-1]))

    @Slot()
    def reduce(self) -> None:
        """Choose the next smaller size, if there is one."""
        self._become(max((size for size in SIZES_PIXELS if size < self.pixels), default=SIZES_PIXELS[0]))

    @Slot()
    def reset(self) -> None:
        """Restore the default size."""
        self._become(DEFAULT_TEXT_PIXELS)

    def _become(self, pixels: int) -> None:
        self._settings.text_pixels = pixels

    @Slot(object)
    def _on_setting(self, setting: object) -> None:
        if setting in (Settings.text_pixels, Settings.reading_font):
            self._show()
            self.changed.emit(self.pixels)

    def _show(self) -> None:
        font = reading_font(self._settings.reading_font)
        self._page.editor.edit.setFont(font)
        self._page.book.set_reading_font(font)
        for view in (self._page.editor, self._page.book):
            view.set_text_size(self.pixels)
