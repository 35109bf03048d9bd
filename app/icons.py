"""The drawings in `resources/icons`, in any colour."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from engine.system.paths import resources_folder

SIZES_PIXELS = (16, 20, 24, 32, 48, 64)


def icon(name: str, colour: str) -> QIcon:
    """A drawing in a single colour, faint when disabled."""
    made = QIcon()
    for normal, disabled in _drawings(name, colour):
        made.addPixmap(QPixmap.fromImage(normal), QIcon.Mode.Normal)
        made.addPixmap(QPixmap.fromImage(disabled), QIcon.Mode.Disabled)
    return made


def application_icon() -> QIcon:
    """The application's own picture."""
    return QIcon(str(resources_folder() / "icons" / "app.svg"))


@lru_cache(maxsize=256)
def _drawings(name: str, colour: str) -> tuple[tuple[QImage, QImage], ...]:
    """A drawing in all sizes, normal and disabled: images, which may outlive the application as pixmaps may not."""
    drawing = (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))
    return tuple((_drawn(renderer, size, 1.0), _drawn(renderer, size, 0.35)) for size in SIZES_PIXELS)


def _drawn(renderer: QSvgRenderer, size: int, opacity: float) -> QImage:
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setOpacity(opacity)
    renderer.render(painter)
    painter.end()
    return image
