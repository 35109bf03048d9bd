"""Functions that a child process runs in place of those that make failing cases and write exported diagnoses."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import EngineError, OutputError
from engine.system.remote import encoded
from engine.validator.data.results import Report, Row


def makes_a_case(arguments: list[str]) -> Any:
    """The file of the case is what was asked for."""
    file = next(word for word in arguments if word.startswith("--save-case=")).partition("=")[2]
    Path(file).write_text(" ".join(arguments))
    sys.stderr.write("Shorter texts, try 1\n")
    return {"case": {"file": file, "words": "Reduced.", "stage": "bert", "phonemes": "h"}}


def finds_no_case(arguments: list[str]) -> Any:
    """Nothing fails any more."""
    return {"passed": True}


def fails(arguments: list[str]) -> Any:
    """Says why."""
    raise EngineError("There is no voice.")


def hangs(arguments: list[str]) -> Any:
    """Never ends."""
    time.sleep(600)


def copies(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """The file has a line about the folder, and one for each thing that came."""
    came = [encoded(report, Report), *(encoded(row, Row) for row in rows)]
    path.write_text("\n".join([str(arrays_folder), *map(json.dumps, came)]))


def is_full(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """Takes everything and fails."""
    raise OutputError(f"The disk is full after {len(tuple(rows))} rows.", "Make room.")


def is_stuck(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """Never ends."""
    time.sleep(600)
