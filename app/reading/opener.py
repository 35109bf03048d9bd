"""Opens documents and projects in the background, so that no file can block the window."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImageReader

from app.tasks import Task, Tasks
from engine.errors import Canceled, UnusableDocument
from engine.export.export_job import is_cover
from engine.text.documents import PROJECT_SUFFIX, Document, read_document

if TYPE_CHECKING:
    from engine.runtime.project_files import Project

Reader = Callable[[Path, threading.Event], Document]
MAX_COVER_BYTES = QSize(1200, 1800)


@dataclass(frozen=True)
class OpenedDocument:
    """A document, its file and the digest of that file."""

    path: Path
    digest: str
    document: Document


@dataclass(frozen=True)
class OpenedProject:
    """A project as it is spoken here, its file, and the digest of that file."""

    path: Path
    digest: str
    project: Project


def is_project(path: Path) -> bool:
    """Return whether a file has the suffix of projects."""
    return path.suffix.casefold() == PROJECT_SUFFIX


def read_opened_project(path: Path) -> OpenedProject:
    """Read a project and the digest of its file; raises `EngineError` subclasses."""
    from engine.runtime.project_files import content_of, project_in
    from engine.runtime.projects import shielded  # imports the synthesizer: not before the window is shown

    content = content_of(path)
    project = project_in(content, path.name)
    project = replace(project, request=shielded(project.request))
    return OpenedProject(path, hashlib.sha256(content).hexdigest(), project)


def read_opened(read: Reader, path: Path, cancel: threading.Event) -> OpenedDocument:
    """Read a document and the digest of its file; raises `EngineError` subclasses."""
    document = read(path, cancel)
    document = replace(document, cover=_with_pixels(document.cover))
    try:
        with path.open("rb") as file:
            return OpenedDocument(path, hashlib.file_digest(file, "sha256").hexdigest(), document)
    except OSError as error:
        raise UnusableDocument(f"“{path.name}” can’t be opened.", "Open it from its new place.") from error


def _with_pixels(cover: bytes | None) -> bytes | None:
    """Return a cover that can be shown and exported, rasterizing vector images; None if it cannot be drawn."""
    if cover is None or is_cover(cover):
        return cover
    source, target = QBuffer(), QBuffer()
    source.setData(QByteArray(cover))
    reader = QImageReader(source)
    reader.setScaledSize(reader.size().scaled(MAX_COVER_BYTES, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    target.open(QBuffer.OpenModeFlag.WriteOnly)
    drawn = image.save(target, "JPG")  # type: ignore[call-overload]  # at run time it accepts no bytes
    return bytes(target.data().data()) if drawn else None


class DocumentOpener(QObject):
    """A background opener of documents and projects; a new one replaces one that is still being opened.

    `opened` carries the `OpenedDocument`, `project_opened` the `OpenedProject`, and `failed` the error; `busy_changed`
    reports the start and the end.
    """

    opened = Signal(object)
    project_opened = Signal(object)
    failed = Signal(object)
    busy_changed = Signal()

    def __init__(self, parent: QObject | None = None, read: Reader = read_document) -> None:
        super().__init__(parent)
        self._read = read
        self._tasks = Tasks("document", self, at_once=True)
        self._opening: Task | None = None
        self.path = Path()

    @property
    def busy(self) -> bool:
        """True if a document is being opened."""
        return self._opening is not None

    @Slot(object)
    def open(self, path: Path) -> None:
        """Open a document or a project, and set `path` to its path."""
        self.cancel()
        self.path, cancel = path, threading.Event()
        if is_project(path):
            self._opening = self._tasks.run(
                read_opened_project, path, done=self._on_project, failed=self._on_failed, cancel=cancel
            )
        else:
            self._opening = self._tasks.run(
                read_opened, self._read, path, cancel, done=self._on_done, failed=self._on_failed, cancel=cancel
            )
        self.busy_changed.emit()

    @Slot()
    def cancel(self) -> None:
        """Cancel opening."""
        if self._opening is not None:
            self._opening.cancel()
            self._end()

    def shut_down(self, timeout_ms: int) -> bool:
        """Cancel; return whether that succeeded in time."""
        self.cancel()
        return self._tasks.shut_down(timeout_ms)

    def _on_done(self, opened: OpenedDocument) -> None:
        self._end()
        self.opened.emit(opened)

    def _on_project(self, opened: OpenedProject) -> None:
        self._end()
        self.project_opened.emit(opened)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, Canceled):
            self._end()
            self.failed.emit(error)

    def _end(self) -> None:
        self._opening = None
        self.busy_changed.emit()
