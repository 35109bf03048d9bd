"""Writes a validation to one file: reads its events from standard input, takes the path of the file as argument.

    python -m app.diagnostics.runs.bundle_writer PATH [ARRAYS_FOLDER] [--name=NAME] [--made=TIME]

A failure is one sentence on stderr. It runs as a separate process because drawing and packing would make the window
stutter.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import EngineError, InvalidRequest
from engine.validator.data.results import FinishedEvent, Report, RowEvent
from engine.validator.data.verdicts import findings
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.versions import versions

NICENESS = 10


def main(arguments: Sequence[str]) -> int:
    """Write the file; exit code 0, or 1 with a sentence on stderr."""
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("arrays_folder", type=Path, nargs="?")
    parser.add_argument("--name", default="")
    parser.add_argument("--made", default="")
    options = parser.parse_args(arguments)
    try:
        write(read_report(sys.stdin), options.path, options.arrays_folder, options.name, options.made)
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def read_report(lines: Iterable[str]) -> Report:
    """The report of a `FinishedEvent` without rows, with the rows of the `RowEvent`s that follow it.

    A report without versions belongs to an unfinished run; its findings are derived from the rows so far.
    """
    wire = Wire()
    report, rows = None, []
    for line in lines:
        event = wire.decode(line)
        if isinstance(event, FinishedEvent):
            report = event.report
        elif isinstance(event, RowEvent):
            rows.append(event.row)
    if report is None:
        raise InvalidRequest("There is nothing to export.", "Diagnose something first.")
    if not report.versions:
        report = replace(report, findings=findings(rows), versions=versions())
    return replace(report, rows=tuple(rows))


def write(report: Report, path: Path, arrays_folder: Path | None, name: str = "", made: str = "") -> None:
    """Write everything about a report, without arrays if the folder no longer exists. Raises `EngineError`."""
    from engine.validator.bundles.bundle import write_bundle  # imports matplotlib

    arrays = ArrayFolder(arrays_folder) if arrays_folder is not None and arrays_folder.is_dir() else None
    write_bundle(path, report, arrays, _doctor_output(), name=name, made=made)


def _doctor_output() -> str:
    from engine.doctor import examine_installation, in_words

    return in_words(examine_installation()) + "\n"


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.exit(main(sys.argv[1:]))
