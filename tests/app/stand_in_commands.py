"""Functions for a child process that replace those that create failing cases and write exported diagnoses."""

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
    """Write the arguments to the file of the case."""
    file = next(word for word in arguments if word.startswith("--save-case=")).partition("=")[2]
    Path(file).write_text(" ".join(arguments))
    sys.stderr.write("Shorter texts, try 1\n")
    return {"case": {"file": file, "words": "Reduced.", "stage": "bert", "phonemes": "h"}}


def finds_no_case(arguments: list[str]) -> Any:
    """Report that nothing fails."""
    return {"passed": True}


def fails(arguments: list[str]) -> Any:
    """Fail with a reason."""
    raise EngineError("There is no voice.")


def hangs(arguments: list[str]) -> Any:
    """Never end."""
    time.sleep(600)


def copies(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """Write a line about the folder to the file, and one for each item received."""
    came = [encoded(report, Report), *(encoded(row, Row) for row in rows)]
    path.write_text("\n".join([str(arrays_folder), *map(json.dumps, came)]))


def is_full(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """Receive everything and fail."""
    raise OutputError(f"The disk is full after {len(tuple(rows))} rows.", "Make room.")


def is_stuck(report: Report, rows: Iterator[Row], path: Path, arrays_folder: Path | None, name: str, made: str) -> None:
    """Never end."""
    time.sleep(600)
