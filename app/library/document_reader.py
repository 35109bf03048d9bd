"""Reads the documents of the queue in a thread, each when it is its turn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.system.threads import failure_of, worker_thread
from engine.documents import Document, read_document
from engine.errors import Cancelled

Reader = Callable[[Path, threading.Event], Document]


def read_usual(path: Path, cancel: threading.Event) -> Document:
    """What is read of a document unless a person chooses otherwise; raises `EngineError` children."""
    document = read_document(path, cancel)
    return document.with_chapters(document.usual_chapters)


@dataclass(frozen=True, eq=False)
class ReadJob:
    """Read the document of the item with this number."""

    number: int
    path: Path
    cancel: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class DocumentRead:
    """The job has ended; without a document, `error` says why."""

    job: ReadJob
    document: Document | None = None
    error: Exception | None = None


class _Worker(QObject):
    reported = Signal(object)

    def __init__(self, read: Reader) -> None:
        super().__init__()
        self._read = read

    @Slot(object)
    def work(self, job: ReadJob) -> None:
        documents: list[Document] = []
        error = failure_of(lambda: documents.append(self._read(job.path, job.cancel)))
        self.reported.emit(DocumentRead(job, next(iter(documents), None), error))


class DocumentReader(QObject):
    """`read` carries a `DocumentRead`; `reader` is called in the thread."""

    read = Signal(object)

    _wanted = Signal(object)

    def __init__(self, parent: QObject, reader: Reader = read_usual) -> None:
        super().__init__(parent)
        self._jobs: list[ReadJob] = []
        self._thread = worker_thread("documents of the queue", self)
        self._worker = _Worker(reader)
        self._worker.moveToThread(self._thread)
        self._worker.reported.connect(self._on_read)
        self._wanted.connect(self._worker.work)
        self._thread.start()

    def begin(self, number: int, path: Path) -> ReadJob:
        """Read a document after those before."""
        job = ReadJob(number, path)
        self._jobs.append(job)
        self._wanted.emit(job)
        return job

    def cancel(self, number: int) -> None:
        """Stop reading the document of an item."""
        for job in self._jobs:
            if job.number == number:
                job.cancel.set()

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop reading; return whether the thread ended in time."""
        for job in self._jobs:
            job.cancel.set()
        self._thread.quit()
        return self._thread.wait(timeout_ms)

    @Slot(object)
    def _on_read(self, report: DocumentRead) -> None:
        self._jobs.remove(report.job)
        if report.job.cancel.is_set():  # perhaps only when all was read
            report = DocumentRead(report.job, error=Cancelled("Reading was stopped."))
        self.read.emit(report)
