"""Real texts and books in the folder next to the repository; the tests of them are skipped where it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT.parent / "shared"


def real_text(name: str) -> Path:
    """A document of ../shared/real-text/cases; skips the test if it is not there."""
    return _present(FOLDER / "real-text" / "cases" / name)


def book(name: str) -> Path:
    """A book of ../shared/books; skips the test if it is not there."""
    return _present(FOLDER / "books" / name)


def english_lines() -> list[tuple[str, str]]:
    """Texts as they are written, each with plain words that sound the same; none if the file is not there."""
    path = FOLDER / "real-text" / "english.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.is_file() else []
    return [(written, plain) for written, plain in (line.split("\t") for line in lines if line)]


def _present(path: Path) -> Path:
    if not path.is_file():
        pytest.skip(f"there is no ../{path.relative_to(PROJECT.parent)}")
    return path
