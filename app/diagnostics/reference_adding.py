"""Adds PyTorch and the original network to the application, in a child process, when a person asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal, Slot

from app.system.processes import child_process
from engine.errors import DownloadError
from engine.system.child_process import python_command

COMMAND = python_command("engine", "reference")


class ReferenceAdding(QObject):
    """Runs once at a time; `added` or `failed` tells how it ended."""

    added = Signal()
    failed = Signal(object)

    def __init__(self, command: Sequence[str] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._process: QProcess | None = None

    @property
    def active(self) -> bool:
        """Whether packages are being added."""
        return self._process is not None

    def begin(self) -> None:
        """Start, unless it is under way."""
        if self._process is None:
            process = self._process = child_process(self)
            process.finished.connect(self._on_finished)
            process.errorOccurred.connect(self._on_error)
            process.start(self._command[0], list(self._command[1:]))

    def shut_down(self, timeout_ms: int) -> None:
        """End the process; what it has fetched so far is dropped."""
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._on_finished)
            process.errorOccurred.disconnect(self._on_error)
            process.kill()
            process.waitForFinished(timeout_ms)

    @Slot()
    def _on_finished(self) -> None:
        process = self._let_go()
        if process is None:
            return
        if process.exitStatus() is QProcess.ExitStatus.NormalExit and process.exitCode() == 0:
            self.added.emit()
            return
        said = bytes(process.readAllStandardError().data()).decode(errors="replace")
        self.failed.emit(DownloadError("PyTorch was not added.", _why(said)))

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._let_go() is not None:
            self.failed.emit(DownloadError("PyTorch was not added.", "The process for it could not be started."))

    def _let_go(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        return process


def _why(said: str) -> str:
    """Why pip has failed, from all that it said."""
    from engine.models.packages import connection_failure  # not before it is needed

    if (failure := connection_failure(said)) is not None:
        return str(failure)
    errors = [line.strip() for line in said.splitlines() if line.strip().startswith("ERROR")]
    return errors[-1] if errors else "Check that this computer is online."
