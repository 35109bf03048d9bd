"""Exports the book of 500,000 characters with the fast speaker: `python -m tests.engine.export.fast_export PATH`."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.export.exporting import export
from tests.engine.export.books import FastSpeaker, book, order_of

CHAPTERS = 40
CHAPTER_CHARACTERS = 12_500
SAMPLES_PER_CHARACTER = 40


def main(path: Path) -> None:
    """Say once that it has begun, then export."""
    steps = export(
        order_of(book(CHAPTERS, CHAPTER_CHARACTERS), path), FastSpeaker(SAMPLES_PER_CHARACTER), lambda _: None
    )
    next(steps)
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    for _ in steps:
        pass


if __name__ == "__main__":
    main(Path(sys.argv[1]))
