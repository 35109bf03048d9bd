"""Reads an exported diagnosis: takes its path and an empty folder, writes its events to standard output.

    python -m app.diagnostics.runs.bundle_reader PATH FOLDER

The first line is what it is called and when it was made; the arrays go to the folder. A failure is one sentence on
stderr. It runs as a separate process because unpacking would make the window stutter, and because the file may be
anybody's.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import EngineError
from engine.speech import Plan, PlanEvent
from engine.validator.bundles.bundle_opening import OpenedBundle, alignments, open_bundle
from engine.validator.data.results import FinishedEvent, RowEvent, ValidationEvent
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder

NICENESS = 10


def main(arguments: Sequence[str]) -> int:
    """Write the events; exit code 0, or 1 with a sentence on stderr."""
    try:
        opened = open_bundle(Path(arguments[0]), Path(arguments[1]))
        for line in lines(opened):
            sys.stdout.write(f"{line}\n")
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def lines(opened: OpenedBundle) -> Iterator[str]:
    """A line about the bundle, a request, and the events of the run as they came, without rows in the last."""
    wire = Wire()
    yield json.dumps({"name": opened.name, "made": opened.made})
    yield wire.encode_request(opened.report.request)
    for event in _events(opened):
        yield wire.encode(event)


def _events(opened: OpenedBundle) -> Iterator[ValidationEvent]:
    report = opened.report
    yield PlanEvent(Plan(report.utterances))
    if report.request.arrays_folder is not None:
        yield from alignments(report, ArrayFolder(report.request.arrays_folder))
    yield from (RowEvent(row) for row in report.rows)
    yield FinishedEvent(replace(report, rows=()))


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.exit(main(sys.argv[1:]))
