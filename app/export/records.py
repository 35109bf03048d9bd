"""Keeps the orders of exports on disk while they are carried out, and finds those that were interrupted."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal, Slot

from app.tasks import Tasks
from engine.export.export_job import ExportJob
from engine.export.stored_jobs import KeptOrder, KeptOrders

log = logging.getLogger(__name__)


class ExportRecords(QObject):
    """Does one thing after the other in a thread of its own: to write a book takes a moment.

    `found` carries each `KeptOrder` of a process that was killed. What cannot be kept is exported all the same.
    """

    found = Signal(object)

    def __init__(self, orders: KeptOrders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._orders = orders
        self._tasks = Tasks("exports", self)
        self._kept: list[KeptOrder] = []  # touched in that thread alone

    @Slot()
    def look(self) -> None:
        """Look for orders that were interrupted."""
        self._tasks.run(self._find)

    def keep(self, order: ExportJob, model: str) -> None:
        """Keep an order, which this model is to speak, until `forget`; one that was found is kept already."""
        self._tasks.run(self._keep, order, model)

    def forget(self, order: ExportJob) -> None:
        """An order has been carried out, has failed, or was cancelled."""
        self._tasks.run(self._forget, order)

    def discard(self, order: ExportJob) -> None:
        """Forget an order that was found, and remove what the export has left."""
        self._tasks.run(self._discard, order)

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish what was asked for; return whether that was in time.

        What was found and neither resumed nor discarded is found again.
        """
        if not self._tasks.shut_down(timeout_ms):
            return False
        for kept in self._kept:
            kept.release()
        return True

    def _find(self) -> None:
        for kept in self._orders.interrupted():
            self._kept.append(kept)
            self._tasks.tell(self.found.emit, kept)

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
        from engine.export.exporting import discard  # loads what writes sound files

        self._forget(order)
        discard(order)
