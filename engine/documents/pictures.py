"""Finds and reads the pictures of documents: members of an archive, or files in the folder of a page."""

from __future__ import annotations

import posixpath
from pathlib import Path

from engine.documents.archive import Archive
from engine.documents.kinds import is_archive
from engine.errors import UnusableDocument

LARGEST_PICTURE_BYTES = 8_000_000
"""A photograph for print has less."""
_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".bmp", ".avif", ".tif", ".tiff")


def read_picture(path: Path, name: str) -> bytes | None:
    """The file of the picture that a document shows by this name; None if it is missing, damaged or too large.

    Nothing outside the document, or outside the folder of a page, is read.
    """
    try:
        if is_archive(path):
            with Archive(path) as archive:
                return archive.read(name, LARGEST_PICTURE_BYTES) if name in archive.names else None
        file = _file_beside(path, name)
        if file is None or file.stat().st_size > LARGEST_PICTURE_BYTES:
            return None
        return file.read_bytes()
    except (UnusableDocument, OSError, ValueError, MemoryError):  # a name may be one that no file can have
        return None


def is_picture(name: str) -> bool:
    """Whether the name of a file says that it is a picture of a kind that can be shown."""
    return name.casefold().endswith(_SUFFIXES)


def no_picture(_reference: str) -> None:
    """The name of a picture in a document that has none."""


def picture_beside(page: Path, reference: str) -> str | None:
    """The name of the picture that a page refers to by a path; None if it is not in the folder of the page."""
    name = posixpath.normpath(reference.partition("?")[0].replace("\\", "/"))
    try:
        return name if _file_beside(page, name) is not None else None
    except (OSError, ValueError):
        return None


def _file_beside(page: Path, name: str) -> Path | None:
    """The picture of this name in the folder of a page, or in one below it, wherever links lead."""
    folder = page.absolute().parent.resolve()
    file = (folder / name).resolve()
    return file if file.is_relative_to(folder) and is_picture(file.name) and file.is_file() else None
