"""Writes and reads diagnosis files in a separate process, since drawing and compressing would make a window stutter.

Data is sent row by row, so that no large message makes it stutter either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.speech import Plan, PlanEvent
from engine.validator.data.results import FinishedEvent, Report, Row, RowEvent, ValidationEvent, ValidationRequest
from engine.validator.runs.arrays import ArrayFolder


@dataclass(frozen=True)
class About:
    """The request of a diagnosis, its name, and its time as text; both may be empty."""

    request: ValidationRequest
    name: str
    made: str


def write(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """Write everything about a report with these rows, without arrays if the folder no longer exists.

    A report without versions belongs to an unfinished run; findings are derived from its rows. Raises `EngineError`.
    """
    from engine.report.doctor import examine_installation, format_findings
    from engine.validator.bundles.bundle import write_bundle  # imports matplotlib
    from engine.validator.data.verdicts import findings
    from engine.validator.runs.versions import versions

    report = replace(report, rows=tuple(rows))
    if not report.versions:
        report = replace(report, findings=findings(report.rows), versions=versions())
    arrays = ArrayFolder(arrays_folder) if arrays_folder is not None and arrays_folder.is_dir() else None
    write_bundle(path, report, arrays, f"{format_findings(examine_installation())}\n", name=name, made=made)


def read(path: Path, folder: Path, observe: Callable[[ValidationEvent], None]) -> About:
    """Report the events of the run in an untrusted file in their original order, without rows in the last event.

    Its arrays are extracted to the folder, which is empty. Raises `EngineError`.
    """
    from engine.validator.bundles.bundle_opening import alignments, open_bundle  # imports speech generation

    opened = open_bundle(path, folder)
    report = opened.report
    observe(PlanEvent(Plan(report.utterances)))
    if report.request.arrays_folder is not None:
        for event in alignments(report, ArrayFolder(report.request.arrays_folder)):
            observe(event)
    for row in report.rows:
        observe(RowEvent(row))
    observe(FinishedEvent(replace(report, rows=())))
    return About(report.request, opened.name, opened.made)
