"""Writes and reads the file of a diagnosis, in a process of its own: drawing and packing would make the window stutter.

    python -m app.diagnostics.runs.bundle_files write PATH [ARRAYS_FOLDER] [--name=NAME] [--made=TIME]
    python -m app.diagnostics.runs.bundle_files read PATH FOLDER

What is written comes as events from standard input. What is read, from a file that may be anybody's, goes as events to
standard output, after a line about what it is called and when it was made; its arrays go to the folder, which is empty.
A failure is one sentence on stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import EngineError, InvalidRequest
from engine.speech import Plan, PlanEvent
from engine.validator.bundles.bundle_opening import OpenedBundle, alignments, open_bundle
from engine.validator.data.results import FinishedEvent, Report, RowEvent, ValidationEvent
from engine.validator.data.verdicts import findings
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.versions import versions

NICENESS = 10


def main(arguments: Sequence[str]) -> int:
    """Write or read the file; exit code 0, or 1 with a sentence on stderr."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("write", "read"))
    parser.add_argument("path", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--name", default="")
    parser.add_argument("--made", default="")
    options = parser.parse_args(arguments)
    try:
        if options.what == "write":
            write(read_report(sys.stdin), options.path, options.folder, options.name, options.made)
        else:
            for line in lines(open_bundle(options.path, options.folder)):
                sys.stdout.write(f"{line}\n")
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
    from engine.report.doctor import examine_installation, in_words
    from engine.validator.bundles.bundle import write_bundle  # imports matplotlib

    arrays = ArrayFolder(arrays_folder) if arrays_folder is not None and arrays_folder.is_dir() else None
    write_bundle(path, report, arrays, f"{in_words(examine_installation())}\n", name=name, made=made)


def lines(opened: OpenedBundle) -> Iterator[str]:
    """A line about the bundle, a request, and the events of the run as they came, without rows in the last."""
    wire = Wire()
    yield json.dumps({"name": opened.name, "made": opened.made})
    yield wire.encode_request(opened.report.request)
    yield from map(wire.encode, _events(opened.report))


def _events(report: Report) -> Iterator[ValidationEvent]:
    yield PlanEvent(Plan(report.utterances))
    if report.request.arrays_folder is not None:
        yield from alignments(report, ArrayFolder(report.request.arrays_folder))
    yield from (RowEvent(row) for row in report.rows)
    yield FinishedEvent(replace(report, rows=()))


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.exit(main(sys.argv[1:]))
