"""The font of the text, and its size in steps, remembered from one start to the next."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.settings import USUAL_TEXT_PIXELS, Key, Settings
from app.speech.text_editor import TextEditor
from app.theme import reading_font

SIZES_PIXELS = (10, 12, 14, USUAL_TEXT_PIXELS, 18, 20, 24, 28, 32, 40, 48, 64)


class TextSize(QObject):
    """Shows the font and size that the settings have, and changes the size; `changed` carries the pixels."""

    changed = Signal(int)

    def __init__(self, editor: TextEditor, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._editor = editor
        self._settings = settings
        self._show()
        settings.changed.connect(self._on_setting)

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

    @Slot(object)
    def _on_setting(self, key: Key) -> None:
        if key in (Key.TEXT_SIZE, Key.READING_FONT):
            self._show()
            self._editor.marks.keep_in_view()
            self.changed.emit(self.pixels)

    def _show(self) -> None:
        self._editor.edit.setFont(reading_font(self._settings.reading_font))
        self._editor.set_text_size(self.pixels)
