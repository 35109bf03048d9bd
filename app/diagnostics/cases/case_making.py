"""Reduces and saves failing cases in the background, by the command that anyone can type."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.system.background_command import BackgroundCommand
from engine.errors import EngineError, OutputError
from engine.system.child_process import python_command
from engine.system.whole_file import whole_file
from engine.validator.cases.as_command import COMMAND, as_arguments
from engine.validator.cases.stage_trial import only
from engine.validator.data.results import ValidationRequest

PROGRAM = python_command("engine")
CASE_NAME = "case.safetensors"
NOTHING_FAILS = "This stage no longer fails, so there’s nothing to save."


@dataclass(frozen=True)
class MadeCase:
    """A failing case that was found: its file, which `CaseMaking.save` copies, and what there is to say about it."""

    path: Path
    words: str
    stage: str
    phonemes: str


class CaseMaking(QObject):
    """One case at a time. `progressed` carries words, `made` a `MadeCase`, `failed` an `EngineError`."""

    progressed = Signal(str)
    made = Signal(object)
    failed = Signal(object)

    def __init__(self, program: Sequence[str] = PROGRAM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = tuple(program)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lines: list[str] = []
        self._command = BackgroundCommand(self)
        self._command.line.connect(self._keep)
        self._command.progressed.connect(self.progressed)
        self._command.ended.connect(self._end)

    @property
    def active(self) -> bool:
        """Whether a case is being made."""
        return self._command.active

    def make(self, request: ValidationRequest, regime: str, stage: str, reduced: bool) -> None:
        """Find where a stage of a regime fails, and make the smallest case of it, or one as it is."""
        self._lines = []
        try:
            path = self._new_path()
        except OSError as error:
            self.failed.emit(OutputError(f"No case can be made ({error.strerror}).", "Free some space on the disk."))
            return
        wanted = (f"--case-stage={stage}", f"--save-case={path}", *(["--reduce"] if reduced else []))
        arguments = (*as_arguments(only(request, regime)), *wanted, "--json")
        self._command.start([*self._program, COMMAND, *arguments])

    @Slot()
    def stop(self) -> None:
        """Give up the case that is being made."""
        self._command.stop()

    def save(self, case: MadeCase, path: Path) -> None:
        """Copy a case to where the user wants it; raises `OutputError`."""
        with case.path.open("rb") as source, whole_file(path) as file:
            shutil.copyfileobj(source, file)

    def shut_down(self, timeout_ms: int) -> None:
        """End the process, and forget cases that were not saved."""
        self._command.shut_down(timeout_ms)
        if self._folder is not None:
            self._folder.cleanup()

    def _new_path(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="kokoro-desk-cases-", ignore_cleanup_errors=True)
        return Path(tempfile.mkdtemp(dir=self._folder.name)) / CASE_NAME

    @Slot(str)
    def _keep(self, line: str) -> None:
        self._lines.append(line)

    @Slot(int)
    def _end(self, code: int) -> None:
        """Take the figures, which a command that found a failure writes although its exit code is 1."""
        try:
            figures = json.loads("\n".join(self._lines))
        except ValueError:
            self.failed.emit(EngineError("Couldn’t create the case.", self._command.last_words))
            return
        case = figures.get("case")
        if case is None:
            self.failed.emit(EngineError(NOTHING_FAILS, "Diagnose again."))
        else:
            self.made.emit(MadeCase(Path(case["file"]), case["words"], case["stage"], case["phonemes"]))
