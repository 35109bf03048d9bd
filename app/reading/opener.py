"""Opens documents in the background; nothing in a file can hold up the window."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImageReader

from app.system.threads import failure_of
from engine.documents import Document, read_document
from engine.errors import Cancelled, UnusableDocument
from engine.export.order import is_cover

Reader = Callable[[Path, threading.Event], Document]
LARGEST_COVER = QSize(1200, 1800)


@dataclass(frozen=True)
class OpenedDocument:
    """A document, the file that it is from, and the digest of that file."""

    path: Path
    digest: str
    document: Document


def read_opened(read: Reader, path: Path, cancel: threading.Event) -> OpenedDocument:
    """Read a document and the digest of its file; raises `EngineError` children."""
    document = read(path, cancel)
    document = replace(document, cover=_with_pixels(document.cover))
    try:
        with path.open("rb") as file:
            return OpenedDocument(path, hashlib.file_digest(file, "sha256").hexdigest(), document)
    except OSError as error:
        raise UnusableDocument(f"“{path.name}” can’t be opened.", "Open it where it is now.") from error


def _with_pixels(cover: bytes | None) -> bytes | None:
    """A cover that can be shown and exported: a drawing becomes a picture; None if it cannot be drawn."""
    if cover is None or is_cover(cover):
        return cover
    source, target = QBuffer(), QBuffer()
    source.setData(QByteArray(cover))
    reader = QImageReader(source)
    reader.setScaledSize(reader.size().scaled(LARGEST_COVER, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    target.open(QBuffer.OpenModeFlag.WriteOnly)
    drawn = image.save(target, "JPG")  # type: ignore[call-overload]  # at run time it takes no bytes
    return bytes(target.data().data()) if drawn else None


@dataclass(frozen=True)
class _Ended:
    """An attempt to open a file is over: with what was opened, or with the reason why it was not."""

    cancel: threading.Event
    opened: OpenedDocument | None
    error: Exception | None


class DocumentOpener(QObject):
    """Opens one document at a time: a new one takes the place of one that is still being opened.

    `opened` carries the `OpenedDocument`, `failed` the error; `busy_changed` tells that it begins or ends.
    """

    opened = Signal(object)
    failed = Signal(object)
    busy_changed = Signal()
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None, read: Reader = read_document) -> None:
        super().__init__(parent)
        self._read = read
        self._cancel: threading.Event | None = None
        self._thread: threading.Thread | None = None
        self.path = Path()
        self._ended.connect(self._on_ended)

    @property
    def busy(self) -> bool:
        """Whether a document is being opened."""
        return self._cancel is not None

    @Slot(object)
    def open(self, path: Path) -> None:
        """Open a document; `path` is then the one that is being opened."""
        self.cancel()
        self.path, self._cancel = path, threading.Event()
        self._thread = threading.Thread(target=self._work, args=(path, self._cancel), daemon=True)
        self._thread.start()
        self.busy_changed.emit()

    @Slot()
    def cancel(self) -> None:
        """Open nothing after all."""
        if self._cancel is not None:
            self._cancel.set()
            self._cancel = None
            self.busy_changed.emit()

    def shut_down(self, timeout_ms: int) -> bool:
        """Cancel, and return whether that was done in time."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(timeout_ms / 1000)
        return self._thread is None or not self._thread.is_alive()

    def _work(self, path: Path, cancel: threading.Event) -> None:
        opened: list[OpenedDocument] = []
        error = failure_of(lambda: opened.append(read_opened(self._read, path, cancel)))
        self._ended.emit(_Ended(cancel, opened[0] if opened else None, error))

    @Slot(object)
    def _on_ended(self, ended: _Ended) -> None:
        if ended.cancel is not self._cancel:
            return  # in favour of another one, or of none
        self._cancel = None
        self.busy_changed.emit()
        if ended.opened is not None:
            self.opened.emit(ended.opened)
        elif ended.error is not None and not isinstance(ended.error, Cancelled):
            self.failed.emit(ended.error)
