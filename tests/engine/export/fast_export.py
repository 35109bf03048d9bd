"""Exports a book of 40 chapters with the fast speaker: `python -m tests.engine.export.fast_export PATH`."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.export.export_job import ExportJob
from engine.export.exporting import export
from tests.engine.export.books import FastSpeaker, book, order_of

CHAPTERS = 40
CHAPTER_CHARACTERS = 2500
SAMPLES_PER_CHARACTER = 40


def job_for(path: Path) -> ExportJob:
    """Return the job that exports the book."""
    return order_of(book(CHAPTERS, CHAPTER_CHARACTERS), path)


def main(path: Path) -> None:
    """Export, printing the completed fraction and the name of each step; wait for a line of input after each."""
    for progress in export(job_for(path), FastSpeaker(SAMPLES_PER_CHARACTER), lambda _: None):
        sys.stdout.write(f"{progress.fraction:.3f} {progress.step}\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
