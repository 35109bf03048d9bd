"""The output files of a job: their names, their tags, and checks that they can be written."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from engine.audio.recording import Tags
from engine.audio.sound_file import format_for
from engine.errors import OutputError
from engine.export.export_job import NARRATED, ExportJob, is_cover
from engine.system.atomic_write import ensure_writable

_NAME_CHARACTERS = 80
_NAME_BYTES = 240
"""The maximum length of a title in a file name: systems allow 255, including a number and a suffix."""
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]+')


@dataclass(frozen=True)
class Output:
    """A file to write, the indices of its chapters, and the path of its subtitles, if any."""

    path: Path
    tags: Tags
    chapters: range
    subtitles: Path | None = None


def outputs_of(order: ExportJob) -> tuple[Output, ...]:
    """Return the files to write, in order."""
    document, count = order.document, len(order.chapters)
    cover = document.cover if document.cover is not None and is_cover(document.cover) else None
    tags = Tags(document.title, document.author, cover=cover)
    if not order.per_chapter:
        return (Output(order.path, tags, range(count), order.subtitles),)
    return tuple(
        Output(
            _chapter_path(order, number, order.path.suffix),
            replace(tags, title=chapter.title, album=document.title, track=number),
            range(number - 1, number),
            order.subtitles and _chapter_path(order, number, order.subtitles.suffix),
        )
        for number, chapter in enumerate(order.chapters, 1)
    )


def existing_outputs(order: ExportJob) -> tuple[Path, ...]:
    """Return the existing files that would be replaced."""
    wanted = (path for output in outputs_of(order) for path in (output.path, output.subtitles))
    return tuple(path for path in wanted if path is not None and os.path.exists(path))  # False for names too long


def check_writable(path: Path, *, per_chapter: bool = False, book: Path | None = None) -> None:
    """Create the folder. Raises `OutputError` for an unsupported suffix, or a place that is not writable.

    The `book` that gets narration is such a place.
    """
    if path.suffix.lower() != NARRATED:
        format_for(path)
    elif book is not None and os.path.exists(path) and os.path.samefile(path, book):
        raise OutputError("The narrated book would replace the original.", "Choose a different name.")
    if not per_chapter:
        ensure_writable(path)
        return
    folder = path.with_suffix("")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"Couldn’t create the folder {folder} ({error.strerror}).", "Choose a different name."
        ) from error
    ensure_writable(folder / path.name)


def _chapter_path(order: ExportJob, number: int, suffix: str) -> Path:
    digits, title = len(str(len(order.chapters))), order.chapters[number - 1].title
    return order.result / f"{f'{number:0{digits}} {file_name(title)}'.strip()}{suffix}"


def file_name(title: str) -> str:
    """Convert a title to a file name that is valid on any system."""
    name = " ".join(_FORBIDDEN.sub(" ", title).split())[:_NAME_CHARACTERS]
    return name.encode(errors="ignore")[:_NAME_BYTES].decode(errors="ignore").strip(" .")
