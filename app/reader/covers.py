"""Small pictures of the covers of books, kept so that no book is opened to show them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QSize, Qt
from PySide6.QtGui import QColor, QImageReader, QPainter, QPixmap

from app.reading.places import ShelvedBook
from app.theme import colours
from engine.system.paths import data_folder

COVER_SIZE = QSize(64, 96)
SHARPNESS = 2
"""Covers are kept in so many times their size, for screens with small pixels."""


class Covers:
    """Pictures in a folder, each under the digest of its book."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder() / "covers"

    def keep(self, digest: str, picture: bytes) -> None:
        """Keep a cover; one that cannot be decoded or written is simply not shown."""
        buffer = QBuffer()
        buffer.setData(QByteArray(picture))
        reader = QImageReader(buffer)
        size = reader.size()
        if size.isValid():
            reader.setScaledSize(size.scaled(COVER_SIZE * SHARPNESS, Qt.AspectRatioMode.KeepAspectRatio))
        image = reader.read()
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        image.save(str(self._path(digest)))

    def remove(self, digest: str) -> None:
        """Keep a cover no more."""
        with suppress(OSError):
            self._path(digest).unlink()

    def of(self, book: ShelvedBook) -> QPixmap:
        """A cover; one with the first letter of its title if the book has none."""
        pixmap = QPixmap(str(self._path(book.digest)))
        return _plain_cover(book.title) if pixmap.isNull() else pixmap

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.png"


def _plain_cover(title: str) -> QPixmap:
    cover = QPixmap(COVER_SIZE * SHARPNESS)
    cover.fill(QColor(colours().word))
    painter = QPainter(cover)
    font = painter.font()
    font.setPixelSize(cover.width() // 2)
    painter.setFont(font)
    painter.setPen(QColor(colours().text))
    painter.drawText(cover.rect(), Qt.AlignmentFlag.AlignCenter, title[:1].upper())
    painter.end()
    return cover
