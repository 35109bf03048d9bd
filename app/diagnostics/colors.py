"""Colors for verdicts, errors and values, light and dark."""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QPalette
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.theme import LIGHT, Colors, colors
from engine.validator.data.results import Verdict


class ColorTone(Enum):
    """The meaning of a color, always also given in words; the values are field names of the theme's color class."""

    PLAIN = "text"
    FAINT = "faint"
    GOOD = "good"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"
    ACCENT = "accent"
    WAVE = "wave"


_VERDICT_TONES = {
    Verdict.PASS: ColorTone.GOOD,
    Verdict.WORSE: ColorTone.WARNING,
    Verdict.INHERITED: ColorTone.WARNING,
    Verdict.INCOMPARABLE: ColorTone.NOTE,
}
STEPS = 256
MIN_ERROR = 1e-7
MAX_ERROR = 10.0
ERROR_TICKS = (1e-6, 1e-4, 1e-2, 1.0)


class Scale(Enum):
    """The meaning of the colors in an image."""

    ERRORS = auto()
    """From zero to large errors, which are darkest in the light theme and lightest in the dark one."""
    VALUES = auto()
    """From negative values through zero to positive ones."""
    OURS = auto()
    """From quiet to loud for the compiled side, in blue; the reference side is orange, for color-blind users too."""
    REFERENCE = auto()


_SCALES = {
    Scale.ERRORS: (
        (0.0, 0.45, 0.65, 0.85, 1.0),
        ("#f0f0f5", "#b9b6d8", "#e0a030", "#cf3f30", "#6a0f1c"),
        ("#2c2c33", "#55527c", "#b06a20", "#f0803c", "#ffe0b0"),
    ),
    Scale.VALUES: ((0.0, 0.5, 1.0), ("#2f66b8", "#f6f6f8", "#c8303a"), ("#6fa4f2", "#242429", "#f0777b")),
    Scale.OURS: ((0.0, 0.5, 1.0), ("#f6f6f8", "#6fa4dc", "#0b3a78"), ("#1d1d22", "#2f66b8", "#c4defc")),
    Scale.REFERENCE: ((0.0, 0.5, 1.0), ("#f6f6f8", "#e8a25c", "#7a3a04"), ("#1d1d22", "#b0681c", "#ffe2bd")),
}
"""For each scale, the stops from 0 to 1, and the colors there in the light theme and in the dark one."""
Table = NDArray[np.uint8]
"""Red, green, blue, alpha [STEPS, 4]."""
Steps = NDArray[np.uint8]


def table_of(scale: Scale) -> Table:
    """Return the colors of a scale in the current theme."""
    stops, light, dark = _SCALES[scale]
    parts = np.array([QColor(name).getRgb() for name in (light if is_light(colors()) else dark)], np.float64)
    positions = np.linspace(0, 1, STEPS)
    return np.stack([np.interp(positions, stops, parts[:, channel]) for channel in range(4)], axis=1).astype(np.uint8)


def error_positions(errors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the positions of errors on the logarithmic scale, 0 to 1; NaN is placed at the largest."""
    known = np.nan_to_num(np.asarray(errors, np.float64), nan=MAX_ERROR, posinf=MAX_ERROR)
    logs = np.log10(np.clip(known, MIN_ERROR, MAX_ERROR))
    lowest, highest = np.log10(MIN_ERROR), np.log10(MAX_ERROR)
    return np.asarray((logs - lowest) / (highest - lowest))


def steps_of(positions: NDArray[np.floating]) -> Steps:
    """Convert positions 0 to 1 to steps of a scale; NaN is placed at its end."""
    return np.asarray(np.clip(np.nan_to_num(positions, nan=1.0), 0, 1) * (STEPS - 1), np.uint8)


def colored(steps: Steps, scale: Scale) -> NDArray[np.uint8]:
    """Convert steps [...] to colors [..., 4] of the current theme."""
    found: NDArray[np.uint8] = table_of(scale)[steps]
    return found


def is_light(inks: Colors) -> bool:
    """Return whether the background is light."""
    return QColor(inks.surface).lightness() > QColor(LIGHT.text).lightness() + STEPS // 4


def verdict_tone(verdict: Verdict) -> ColorTone:
    """Return the tone of a verdict."""
    return _VERDICT_TONES.get(verdict, ColorTone.ERROR)


def show_tone(widget: QWidget, tone: str) -> None:
    """Let the style sheet color a widget by a tone, or by none."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        widget.style().polish(widget)


def tone_color(tone: ColorTone) -> str:
    """Return the current color of a tone, readable as text on the theme's surface."""
    return str(getattr(colors(), tone.value))


class FollowsTheme:
    """A mixin for widgets that cache a drawing in the theme's colors; `restyle` draws it again in the current ones."""

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        """Restyle once the style is known and whenever it changes."""
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.Polish):
            self.restyle()
        return super().event(event)  # type: ignore[misc,no-any-return]


class PlainSelection(QStyledItemDelegate):
    """Keeps the text color of selected items, such as a verdict's, where the style sheet sets only the background."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Give selected items the text color that they have when not selected."""
        super().initStyleOption(option, index)
        own = index.data(Qt.ItemDataRole.ForegroundRole)
        palette: QPalette = option.palette  # type: ignore[attr-defined]
        color = own.color() if isinstance(own, QBrush) else own
        if not isinstance(color, QColor):
            color = palette.color(QPalette.ColorRole.WindowText)
        palette.setColor(QPalette.ColorRole.HighlightedText, color)
