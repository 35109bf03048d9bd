"""Stores export jobs on disk while they run, and finds those that were interrupted."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal, Slot

from app.tasks import Tasks
from engine.export.export_job import ExportJob
from engine.export.stored_jobs import StoredJob, StoredJobs

log = logging.getLogger(__name__)


class ExportRecords(QObject):
    """The records of export jobs.

    Operations run one at a time in a separate thread, because writing a book takes a moment. `found`
    carries each `StoredJob` of a process that was killed. A job that cannot be stored is exported anyway.
    """

    found = Signal(object)

    def __init__(self, orders: StoredJobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._orders = orders
        self._tasks = Tasks("exports", self)
        self._kept: list[StoredJob] = []  # accessed only in that thread

    @Slot()
    def look(self) -> None:
        """Look for interrupted jobs."""
        self._tasks.run(self._find)

    def keep(self, order: ExportJob, model: str) -> None:
        """Store a job, to be spoken by this model, until `forget`; one that was found is stored already."""
        self._tasks.run(self._keep, order, model)

    def forget(self, order: ExportJob) -> None:
        """Remove the record of a job that has finished, failed or been canceled."""
        self._tasks.run(self._forget, order)

    def discard(self, order: ExportJob) -> None:
        """Remove the record of an interrupted job and the partial output."""
        self._tasks.run(self._discard, order)

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish pending operations; return whether that succeeded in time.

        Interrupted jobs that were neither resumed nor discarded will be found again.
        """
        if not self._tasks.shut_down(timeout_ms):
            return False
        for kept in self._kept:
            kept.release()
        return True

    def _find(self) -> None:
        for kept in self._orders.interrupted():
            self._kept.append(kept)
            self._tasks.call_in_window(self.found.emit, kept)

    def _keep(self, order: ExportJob, model: str) -> None:
        if any(kept.order is order for kept in self._kept):
            return
        try:
            self._kept.append(self._orders.keep(order, model))
        except OSError as error:
            log.warning("If this export is interrupted, it can’t be resumed: %s", error)

    def _forget(self, order: ExportJob) -> None:
        for kept in [kept for kept in self._kept if kept.order is order]:
            self._kept.remove(kept)
            kept.drop()

    def _discard(self, order: ExportJob) -> None:
        from engine.export.exporting import discard  # imports the audio file writers

        self._forget(order)
        discard(order)
