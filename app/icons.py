"""The drawings in `resources/icons`, in the colours of the theme or any other."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.theme import colours
from engine.system.paths import resources_folder

DISABLED_OPACITY = 0.35


def icon(name: str, colour: str) -> QIcon:
    """A drawing in a colour of the theme, given by its name in `Colours`; faint when disabled.

    The colour follows the theme, whoever has the icon. Nothing can be added to such an icon.
    """
    return QIcon(_ThemeIcon(name, colour))


def draw_icon(painter: QPainter, place: QRect, name: str, colour: str) -> None:
    """Draw one in a square, in any colour."""
    pixels = round(place.width() * painter.device().devicePixelRatioF())
    painter.drawImage(place, _drawn(name, colour, pixels, 1.0))


def application_icon() -> QIcon:
    """The application's own picture."""
    return QIcon(str(resources_folder() / "icons" / "app.svg"))


class _ThemeIcon(QIconEngine):
    """Qt asks it for a picture whenever the icon is painted."""

    def __init__(self, name: str, colour: str) -> None:
        super().__init__()
        self._name = name
        self._colour = colour

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """In pixels of the screen."""
        opacity = DISABLED_OPACITY if mode is QIcon.Mode.Disabled else 1.0
        pixels = min(size.width(), size.height())
        return QPixmap.fromImage(_drawn(self._name, getattr(colours(), self._colour), pixels, opacity))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Into a square."""
        painter.drawPixmap(rect, self.pixmap(rect.size() * painter.device().devicePixelRatioF(), mode, state))


@lru_cache(maxsize=256)
def _drawn(name: str, colour: str, pixels: int, opacity: float) -> QImage:
    """An image, which may outlive the application as a pixmap may not; none where there is no room for it."""
    if pixels < 1:
        return QImage()
    drawing = (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setOpacity(opacity)
    renderer.render(painter)
    painter.end()
    return image
