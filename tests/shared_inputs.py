"""Real texts and books in the folder next to the repository; tests that need them are skipped if it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT.parent / "shared"


def real_text(name: str) -> Path:
    """Return a document of ../shared/real-text/cases; skips the test if it is missing."""
    return _present(FOLDER / "real-text" / "cases" / name)


def book(name: str) -> Path:
    """Return a book of ../shared/books; skips the test if it is missing."""
    return _present(FOLDER / "books" / name)


def english_lines() -> list[tuple[str, str]]:
    """Return written lines, each with plain words that sound the same; none if the file is missing."""
    path = FOLDER / "real-text" / "english.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.is_file() else []
    return [(written, plain) for written, plain in (line.split("\t") for line in lines if line)]


def _present(path: Path) -> Path:
    if not path.is_file():
        pytest.skip(f"there is no ../{path.relative_to(PROJECT.parent)}")
    return path
