"""Image files, drawn in the tests."""

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage


def picture(width: int, height: int, color: str = "#c03020") -> bytes:
    """Return a PNG file of a single color."""
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(QColor(color))
    file = QBuffer()
    file.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(file, "PNG")
    return bytes(file.data().data())
