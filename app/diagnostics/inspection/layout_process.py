"""The process that lays graphs out, started with the first graph; only the latest graph's layout is delivered."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal, Slot

from app.diagnostics.inspection.layout import Drawing, layout_from
from app.system.processes import child_process
from engine.system.child_process import python_command

COMMAND = python_command("app.diagnostics.inspection.layout_worker")
NO_LAYOUT = "The graph cannot be drawn, because the process that lays it out ended. The list has every kernel."


class LayoutProcess(QObject):
    """`laid_out` carries a `Drawing` and its `Layout`; `failed` one sentence. The next drawing starts it anew."""

    laid_out = Signal(object, object)
    failed = Signal(str)

    def __init__(self, command: Sequence[str] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = tuple(command)
        self._process: QProcess | None = None
        self._drawing: Drawing | None = None
        self._waiting = False
        self._next: Drawing | None = None

    @property
    def active(self) -> bool:
        """Whether a layout is awaited."""
        return self._waiting

    def lay_out(self, drawing: Drawing) -> None:
        """Lay this out; one that waits for its turn is dropped, the one in work is not delivered."""
        if self._waiting:
            self._next = drawing
            return
        self._next, self._drawing, self._waiting = None, drawing, True
        if self._process is None:
            self._process = self._started()
        self._process.write(json.dumps(drawing.plain()).encode() + b"\n")

    def shut_down(self, timeout_ms: int) -> None:
        """End the process, and wait until it has ended."""
        process = self._let_go()
        if process is not None:
            process.kill()
            process.waitForFinished(timeout_ms)

    def _started(self) -> QProcess:
        process = child_process(self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._on_end)
        process.errorOccurred.connect(self._on_error)
        process.start(self._command[0], list(self._command[1:]))
        return process

    @Slot()
    def _read(self) -> None:
        while self._process is not None and self._process.canReadLine():
            self._take(bytes(self._process.readLine().data()))

    def _take(self, line: bytes) -> None:
        try:
            layout = layout_from(json.loads(line))
        except (ValueError, KeyError, TypeError):
            self._fail()
            return
        self._waiting = False
        if self._next is not None:
            self.lay_out(self._next)
        else:
            self.laid_out.emit(self._drawing, layout)

    @Slot()
    def _on_end(self) -> None:
        self._read()
        if self._process is not None:
            self._fail()

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._fail()

    def _fail(self) -> None:
        process, awaited = self._let_go(), self._waiting
        if process is not None:
            process.kill()
        self._waiting, self._next = False, None
        if awaited:
            self.failed.emit(NO_LAYOUT)

    def _let_go(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            process.readyReadStandardOutput.disconnect(self._read)
            process.finished.disconnect(self._on_end)
            process.errorOccurred.disconnect(self._on_error)
            process.finished.connect(process.deleteLater)
        return process
