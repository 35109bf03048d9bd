"""Exports the book of 500,000 characters with the fast speaker.

    python -m tests.engine.export.fast_export PATH [STEPS]

It prints `so far` after so many steps, and at the end how many there were.
"""

from __future__ import annotations

import sys
from pathlib import Path

from engine.export.exporting import export
from tests.engine.export.books import FastSpeaker, book, order_of

CHAPTERS = 40
CHAPTER_CHARACTERS = 12_500
SAMPLES_PER_CHARACTER = 40


def main(path: Path, steps_so_far: int) -> None:
    """Export, and say when it has come so far."""
    steps = export(
        order_of(book(CHAPTERS, CHAPTER_CHARACTERS), path), FastSpeaker(SAMPLES_PER_CHARACTER), lambda _: None
    )
    count = 0
    for count, _ in enumerate(steps, 1):
        if count == steps_so_far:
            print("so far", flush=True)  # noqa: T201
    print(count, "steps")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int((*sys.argv, 0)[2]))
