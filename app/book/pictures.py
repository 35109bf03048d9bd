"""Pictures in the text of a chapter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QImage,
    QImageReader,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)

from engine.text.documents import Picture

PICTURE = QTextFormat.ObjectTypes.UserObject.value + 1
_NAME = QTextFormat.Property.UserProperty.value + 1
_SIZE = _NAME + 1
STAND_IN = "\ufffc"
"""The character that Qt inserts into a text for an object."""
MAX_HEIGHT_EM = 32
MAX_DECODED_BYTES = 64 << 20

LoadPicture = Callable[[str], bytes | None]
"""A function that returns the contents of a picture's file, None if unreadable; takes the name in its `Picture`."""


class Pictures(QPyTextObject):
    """Draws pictures no wider than the text and no higher than `MAX_HEIGHT_EM`; each is decoded once it is in view."""

    def __init__(self, load: LoadPicture, parent: QObject) -> None:
        super().__init__(parent)
        self._load = load
        self._decoded: dict[tuple[str, QSize], QImage] = {}

    def format_of(self, picture: Picture) -> QTextCharFormat | None:
        """Return the format of the character for a picture; None if the picture cannot be decoded."""
        size = _size_in(self._load(picture.name))
        if size.isEmpty():
            return None
        picture_format = QTextCharFormat()
        picture_format.setObjectType(PICTURE)
        picture_format.setProperty(_NAME, picture.name)
        picture_format.setProperty(_SIZE, size)
        picture_format.setProperty(QTextFormat.Property.ImageAltText, picture.description)
        picture_format.setToolTip(picture.description)
        return picture_format

    def intrinsicSize(self, document: QTextDocument, position: int, picture_format: QTextFormat) -> QSizeF:
        """Return the size of the picture, reduced if there is less room."""
        own = QSizeF(picture_format.property(_SIZE))
        width = document.pageSize().width() - 2 * document.documentMargin()
        room = QSizeF(max(1.0, width), MAX_HEIGHT_EM * document.defaultFont().pixelSize())
        fits = own.width() <= room.width() and own.height() <= room.height()
        return own if fits else own.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)

    def drawObject(
        self,
        painter: QPainter,
        area: QRectF | QRect,
        document: QTextDocument,
        position: int,
        picture_format: QTextFormat,
    ) -> None:
        """Draw the picture, or its description if only its first bytes are those of a picture."""
        area = QRectF(area)
        pixels = (area.size() * painter.device().devicePixelRatio()).toSize()
        image = self._image(picture_format.property(_NAME), pixels)
        if image.isNull():
            words = description_of(picture_format.property(QTextFormat.Property.ImageAltText))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words)
            return
        if image.hasAlphaChannel():
            painter.fillRect(area, Qt.GlobalColor.white)  # drawings are black, and meant for paper
        painter.drawImage(area, image)

    def _image(self, name: str, size: QSize) -> QImage:
        key = (name, size)
        image = self._decoded.pop(key, None)
        if image is None:
            image = _decoded(self._load(name), size)
        self._decoded[key] = image
        while len(self._decoded) > 1 and sum(map(QImage.sizeInBytes, self._decoded.values())) > MAX_DECODED_BYTES:
            self._decoded.pop(next(iter(self._decoded)))
        return image


def height_of(picture_format: QTextCharFormat) -> int:
    """Return the height of a picture of this format, if there is room, in pixels."""
    size: QSize = picture_format.property(_SIZE)
    return size.height()


def description_of(description: str) -> str:
    """Return the text for a picture that cannot be shown."""
    return f"[Picture: {description}]" if description else "[Picture]"


def _size_in(data: bytes | None) -> QSize:
    contents = _opened(data)
    return QImageReader(contents).size()


def _decoded(data: bytes | None, size: QSize) -> QImage:
    contents = _opened(data)
    reader = QImageReader(contents)
    reader.setScaledSize(size)
    return reader.read()


def _opened(data: bytes | None) -> QBuffer:
    contents = QBuffer()
    contents.setData(QByteArray(data or b""))
    contents.open(QIODevice.OpenModeFlag.ReadOnly)
    return contents
