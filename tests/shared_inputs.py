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


def _present(path: Path) -> Path:
    if not path.is_file():
        pytest.skip(f"there is no ../{path.relative_to(PROJECT.parent)}")
    return path
