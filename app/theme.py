"""Light and dark colors, icons in them, and the style sheet generated from them.

The style sheet refers to widgets by object name only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import lru_cache
from string import Template

from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QIconEngine, QImage, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from engine.system.paths import resources_folder

SERIF = "serif"
"""Stands for the system's serif font instead of a family name."""
_SERIF_FAMILIES = ["Charter", "Iowan Old Style", "Georgia", "Noto Serif", "Liberation Serif", "DejaVu Serif", "serif"]
_COLORS = "colours"
"""The property of the application that holds the colors."""
DISABLED_OPACITY = 0.35


class Appearance(Enum):
    """The appearance that the user chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_SCHEMES = {
    Appearance.SYSTEM: Qt.ColorScheme.Unknown,
    Appearance.LIGHT: Qt.ColorScheme.Light,
    Appearance.DARK: Qt.ColorScheme.Dark,
}


@dataclass(frozen=True)
class Colors:
    """Every color of the window as #rrggbb; the field names are those in the style sheet."""

    window: str
    surface: str
    control: str
    control_hover: str
    text: str
    faint: str
    line: str
    accent: str
    accent_hover: str
    on_accent: str
    highlight: str
    word: str
    wave: str
    wave_pending: str
    good: str
    note: str
    warning: str
    error: str


LIGHT = Colors(
    window="#f4f4f7", surface="#ffffff", control="#ffffff", control_hover="#ececf2",
    text="#1c1c22", faint="#6f6f7a", line="#dcdce4",
    accent="#5a50d6", accent_hover="#4a40c4", on_accent="#ffffff", highlight="#e3e0fb", word="#c3bcf9",
    wave="#b9b6d8", wave_pending="#e0e0ea", good="#1f7a45", note="#3f6fd0", warning="#a86400", error="#c8303a",
)  # fmt: skip

DARK = Colors(
    window="#1b1b1f", surface="#242429", control="#323238", control_hover="#3d3d45",
    text="#f1f1f5", faint="#9c9ca8", line="#3a3a42",
    accent="#7d74f0", accent_hover="#8f87f6", on_accent="#ffffff", highlight="#3b3766", word="#5a52a8",
    wave="#62607f", wave_pending="#3a3a44", good="#55c98a", note="#7fa6f5", warning="#e8a33d", error="#ff6b70",
)  # fmt: skip


def colors() -> Colors:
    """Return the current colors for painting; all widgets are repainted when they change."""
    application = QCoreApplication.instance()
    found = application.property(_COLORS) if application is not None else None
    return found if isinstance(found, Colors) else LIGHT


class Theme(QObject):
    """Gives the application its colors, according to the system or the user's preference.

    A widget that caches a drawing in these colors must redraw it on `StyleChange` and `Polish`, when its style changes
    or is first applied.
    """

    def __init__(self, application: QApplication, appearance: Appearance = Appearance.SYSTEM) -> None:
        super().__init__(application)
        self._application = application
        self._native = sys.platform == "darwin"
        if not self._native:
            application.setStyle("Fusion")
        self.choose(appearance)
        queued = Qt.ConnectionType.QueuedConnection  # the palette follows the scheme a moment later
        application.styleHints().colorSchemeChanged.connect(self.refresh, queued)

    def choose(self, appearance: Appearance) -> None:
        """Choose the light or dark appearance, or that of the system."""
        self._appearance = appearance
        self._application.styleHints().setColorScheme(_SCHEMES[appearance])
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Apply the current colors."""
        new = DARK if self._is_dark() else LIGHT
        if self._native:
            new = with_system_colors(new, self._application.palette())
        self._application.setProperty(_COLORS, new)
        if not self._native:
            self._application.setPalette(palette_of(new))
        self._application.setStyleSheet(style_sheet(new, self._native))

    def _is_dark(self) -> bool:
        if self._appearance is not Appearance.SYSTEM:
            return self._appearance is Appearance.DARK
        return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark


def reading_font(chosen: str) -> QFont:
    """Return the font of texts, given by family name or as `SERIF`; empty for the system font."""
    font = QFont()
    if chosen:
        font.setFamilies(_SERIF_FAMILIES if chosen == SERIF else [chosen])
    return font


def with_system_colors(colors: Colors, palette: QPalette) -> Colors:
    """Return these colors with the background, text and accent colors of the user's system."""
    accent = palette.color(QPalette.ColorRole.Accent)
    return replace(
        colors,
        window=palette.color(QPalette.ColorRole.Window).name(),
        surface=palette.color(QPalette.ColorRole.Base).name(),
        text=palette.color(QPalette.ColorRole.WindowText).name(),
        accent=accent.name(),
        accent_hover=accent.darker(110).name(),
        highlight=_mixed(accent, palette.color(QPalette.ColorRole.Base), 0.2).name(),
        word=_mixed(accent, palette.color(QPalette.ColorRole.Base), 0.45).name(),
    )


def palette_of(colors: Colors) -> QPalette:
    """Return a palette for a style that does not use the system's own."""
    role = QPalette.ColorRole
    palette = QPalette(QColor(colors.control), QColor(colors.window))
    for roles, color in (
        ((role.Window,), colors.window),
        ((role.Base, role.ToolTipBase), colors.surface),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), colors.text),
        ((role.PlaceholderText,), colors.faint),
        ((role.Highlight, role.Accent, role.Link), colors.accent),
        ((role.HighlightedText,), colors.on_accent),
    ):
        for each in roles:
            palette.setColor(each, QColor(color))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(colors.faint))
    return palette


def style_sheet(colors: Colors, native: bool) -> str:
    """Return the style sheet of custom widgets, and of standard controls unless the platform draws those natively."""
    folder = resources_folder() / "theme"
    names = ["window.qss"] if native else ["window.qss", "controls.qss"]
    values = {field.name: getattr(colors, field.name) for field in fields(colors)}
    template = Template("\n".join((folder / name).read_text(encoding="utf-8") for name in names))
    return template.substitute(values, icons=(resources_folder() / "icons").as_posix())


def _mixed(color: QColor, ground: QColor, share: float) -> QColor:
    def mix(first: int, second: int) -> int:
        return round(share * first + (1 - share) * second)

    return QColor(mix(color.red(), ground.red()), mix(color.green(), ground.green()), mix(color.blue(), ground.blue()))


def icon(name: str, color: str) -> QIcon:
    """Return an icon in a color of the theme, given by its field name; faint when disabled.

    The color follows the theme, wherever the icon is used. No pixmap or file can be added to such an icon.
    """
    return QIcon(_ThemeIcon(name, color))


def draw_icon(painter: QPainter, place: QRect, name: str, color: str) -> None:
    """Draw an icon in a square, in any color."""
    pixels = round(place.width() * painter.device().devicePixelRatioF())
    painter.drawImage(place, _drawn(name, color, pixels, 1.0))


def application_icon() -> QIcon:
    """Return the app icon."""
    return QIcon(str(resources_folder() / "icons" / "app.svg"))


class _ThemeIcon(QIconEngine):
    """Draws the icon in the current colors; Qt asks for a pixmap whenever the icon is painted."""

    def __init__(self, name: str, color: str) -> None:
        super().__init__()
        self._name = name
        self._color = color

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Return the icon for a size in screen pixels."""
        opacity = DISABLED_OPACITY if mode is QIcon.Mode.Disabled else 1.0
        pixels = min(size.width(), size.height())
        return QPixmap.fromImage(_drawn(self._name, getattr(colors(), self._color), pixels, opacity))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Paint the icon into a square."""
        painter.drawPixmap(rect, self.pixmap(rect.size() * painter.device().devicePixelRatioF(), mode, state))


@lru_cache(maxsize=256)
def _drawn(name: str, color: str, pixels: int, opacity: float) -> QImage:
    """Return an image, because a pixmap must not outlive the application; a null image if there is no room."""
    if pixels < 1:
        return QImage()
    drawing = (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", color).encode()))
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setOpacity(opacity)
    renderer.render(painter)
    painter.end()
    return image
