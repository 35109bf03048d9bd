"""The drawings in `resources/icons`, in any colour."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from engine.system.paths import resources_folder

SIZES_PIXELS = (16, 20, 24, 32, 48, 64)


def icon(name: str, colour: str) -> QIcon:
    """A drawing in a single colour, faint when disabled."""
    drawing = (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))
    made = QIcon()
    for size in SIZES_PIXELS:
        made.addPixmap(_drawn(renderer, size, 1.0), QIcon.Mode.Normal)
        made.addPixmap(_drawn(renderer, size, 0.35), QIcon.Mode.Disabled)
    return made


def application_icon() -> QIcon:
    """The application's own picture."""
    return QIcon(str(resources_folder() / "icons" / "app.svg"))


def _drawn(renderer: QSvgRenderer, size: int, opacity: float) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setOpacity(opacity)
    renderer.render(painter)
    painter.end()
    return pixmap
