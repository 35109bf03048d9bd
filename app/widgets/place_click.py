"""The key that is held while a click says from where to play: the one place that names it."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent


def place_key() -> Qt.KeyboardModifier:
    """Option on a Mac, where Ctrl opens the context menu; Ctrl on Linux, where window managers take clicks with Alt."""
    return Qt.KeyboardModifier.AltModifier if sys.platform == "darwin" else Qt.KeyboardModifier.ControlModifier


def place_click_words() -> str:
    """Such a click, to begin a sentence with."""
    return "Option-click" if sys.platform == "darwin" else "Ctrl+click"


def chooses_place(event: QMouseEvent) -> bool:
    """Whether this key, and no other, is held."""
    return event.modifiers() == place_key()
