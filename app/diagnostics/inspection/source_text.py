"""The Python files that a stage's graph was made of, where this program has them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.inspection.results import SourceLine
from engine.system.paths import project_folder

NOT_HERE = "{file} is not part of this program; only the lines below are known."
MOST_BYTES = 1 << 20


def source_text(file: str, folders: Sequence[Path] | None = None) -> str | None:
    """The text of a file given relative to the program, or to where packages are; None where it is not or not text."""
    for folder in folders if folders is not None else _folders():
        path = (folder / file).resolve()
        if path.suffix != ".py" or not path.is_relative_to(folder.resolve()):
            continue
        try:
            if path.stat().st_size <= MOST_BYTES:
                return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
    return None


def known_lines(file: str, lines: Iterable[SourceLine]) -> dict[int, str]:
    """The lines of a file that are known without it, by their numbers."""
    return {line.line: line.text for line in sorted(lines, key=lambda line: line.line) if line.file == file}


def _folders() -> tuple[Path, ...]:
    return (project_folder(), *(Path(entry) for entry in sys.path if entry))
