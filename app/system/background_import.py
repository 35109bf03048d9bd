"""A module imported beside the window, so that typing goes on meanwhile."""

from __future__ import annotations

import importlib
import logging
from contextlib import suppress
from threading import Thread

from PySide6.QtCore import QObject, Signal, Slot

log = logging.getLogger(__name__)


class BackgroundImport(QObject):
    """`finished` is emitted, in the window's thread, once the module can be used at once, or has failed to import.

    A failure is raised again where the module is needed. Whoever needs it earlier just imports it, and Python makes
    that thread wait for this one.
    """

    finished = Signal()

    def __init__(self, module: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._module = module
        self._thread: Thread | None = None

    @Slot()
    def start(self) -> None:
        """Begin; the program can end without waiting for it."""
        if self._thread is None:
            self._thread = Thread(target=self._import, name=f"import {self._module}", daemon=True)
            self._thread.start()

    def _import(self) -> None:
        try:
            importlib.import_module(self._module)
        except Exception:
            log.debug("%s failed to import; whoever needs it will say so", self._module, exc_info=True)
        with suppress(RuntimeError):  # the window may be gone by now
            self.finished.emit()
