"""A module imported beside the window, so that typing goes on meanwhile."""

from __future__ import annotations

import importlib
from contextlib import suppress
from functools import partial
from threading import Thread

from PySide6.QtCore import QObject, Signal, Slot

from app.system.threads import failure_of


class BackgroundImport(QObject):
    """`finished` is emitted, in the window's thread, once the module can be used at once, or has failed to import.

    A failure is logged, and raised again where the module is needed. Code that needs it earlier imports it as usual:
    Python makes the second import wait for the first.
    """

    finished = Signal()

    def __init__(self, module: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._module = module
        self._thread: Thread | None = None

    @Slot()
    def start(self) -> None:
        """Begin the import; the program can end without waiting for it."""
        if self._thread is None:
            self._thread = Thread(target=self._import, name=f"import {self._module}", daemon=True)
            self._thread.start()

    def _import(self) -> None:
        failure_of(partial(importlib.import_module, self._module))
        with suppress(RuntimeError):  # the window may be gone by now
            self.finished.emit()
