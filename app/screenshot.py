"""Takes a screenshot of the window once the application is idle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.speech.activity import Activity

SETTLED_AFTER_MS = 500


class ScreenshotWhenIdle(QObject):
    """Takes a screenshot; `taken` carries an exit code: 0 if the image was written and nothing failed before.

    `busy` returns whether any other work is in progress, besides the activity followed.
    """

    taken = Signal(int)

    def __init__(self, window: QWidget, path: Path, busy: Callable[[], bool] = lambda: False) -> None:
        super().__init__(window)
        self._busy = busy
        self._window = window
        self._path = path
        self._exit_code = 0
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_AFTER_MS)
        self._timer.timeout.connect(self._take)

    @Slot(object)
    def handle_activity(self, activity: Activity) -> None:
        """Wait until the application has been idle for a moment."""
        if activity.idle:
            self._timer.start()
        else:
            self._timer.stop()

    @Slot(object)
    def note_failure(self, error: Exception) -> None:
        """Make the exit code 1."""
        self._exit_code = 1

    @Slot()
    def _take(self) -> None:
        if self._busy():
            self._timer.start()
            return
        # the latest changes may have altered texts whose widgets have not been laid out yet
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        written = self._window.grab().save(str(self._path), "PNG")
        self.taken.emit(self._exit_code if written else 1)
