"""The files of which documents consist: members of zip archives, which EPUB and DOCX are, and pictures beside pages.

What an archive says about its sizes is not trusted.
"""

from __future__ import annotations

import lzma
import posixpath
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from engine.errors import DamagedDocument, EncryptedDocument, OversizedDocument, UnusableDocument
from engine.text.documents.reading import is_archive

LARGEST_MEMBER_BYTES = 64_000_000
MAX_READ_BYTES = 256_000_000
"""Of all members together; a book of a million words has 6 MB of text."""
_ENCRYPTED = 0x1
_FAULTS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, OverflowError,
    ValueError,
)  # fmt: skip
"""What the library raises for content that makes no sense to it."""
LARGEST_PICTURE_BYTES = 8_000_000
"""A photograph for print has less."""
_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".bmp", ".avif", ".tif", ".tiff")


class Archive:
    """The members of a zip file by name; as a context it closes the file.

    Raises `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`, with the name of the file.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._read_bytes = 0
        try:
            self._file = zipfile.ZipFile(path)
        except _FAULTS as error:
            raise self.damaged() from error

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all members but those in which a Mac keeps what it knows of the others."""
        return frozenset(name for name in self._file.namelist() if not name.startswith("__MACOSX/"))

    def read(self, name: str, largest_bytes: int | None = None) -> bytes:
        """The content of a member, which may be as large as any unless it is to be smaller."""
        largest_bytes = LARGEST_MEMBER_BYTES if largest_bytes is None else largest_bytes
        try:
            member = self._file.getinfo(name)
            if member.flag_bits & _ENCRYPTED:
                raise self.encrypted()
            with self._file.open(member) as file:
                content = file.read(largest_bytes + 1)
        except (KeyError, OSError, *_FAULTS) as error:
            raise self.damaged() from error
        self._read_bytes += len(content)
        if len(content) > largest_bytes or self._read_bytes > MAX_READ_BYTES:
            raise OversizedDocument(f"“{self._name}” is too large to open.", "Choose a different document.")
        return content

    def find(self, name: str) -> str | None:
        """The member that is meant by a name as people and programs write them; None if there is none.

        A name may be quoted as in a link, have a fragment, backslashes or a leading slash, compose its accents in
        another way, differ in case, or have been packed in another code. The closest is taken.
        """
        plain = _plain(name)
        for written in (name, _without_fragment(name), plain, _plain(unquote(_without_fragment(name)))):
            if written in self.names:
                return written
        for names, shape in self._shapes:
            for written in (plain, _plain(unquote(_without_fragment(name)))):
                if found := names.get(shape(written)):
                    return found
        return None

    @cached_property
    def _shapes(self) -> list[tuple[dict[str, str], Callable[[str], str]]]:
        """Ways to look at names, from the strictest to the loosest, each with the members that are looked at so."""
        members = sorted(name for name in self.names if not name.endswith("/"))
        shapes: list[Callable[[str], str]] = [_composed, _folded]
        tables = [
            ({shape(_plain(unquote(_repacked(name)))): name for name in reversed(members)}, shape) for shape in shapes
        ]
        counted: dict[str, list[str]] = {}
        for name in members:
            counted.setdefault(_base(unquote(_repacked(name))), []).append(name)
        return [*tables, ({base: names[0] for base, names in counted.items() if len(names) == 1}, _base)]

    def tree(self, name: str) -> Any:
        """The root of an XML member; entities and links to elsewhere are not followed."""
        from engine.text.documents.markup import xml_tree  # what only reads pictures does without it

        root = xml_tree(self.read(name))
        if root is None:
            raise self.damaged()
        return root

    def damaged(self) -> DamagedDocument:
        """The error for content that makes no sense."""
        return DamagedDocument(f"“{self._name}” is damaged or incomplete.", "Get another copy of it.")

    def encrypted(self) -> EncryptedDocument:
        """The error for content that only its shop's program can read."""
        return EncryptedDocument(f"“{self._name}” is DRM-protected.", "Choose a DRM-free copy.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _without_fragment(name: str) -> str:
    return name.partition("#")[0].partition("?")[0]


def _plain(name: str) -> str:
    """A path from the root of the archive, with slashes."""
    path = posixpath.normpath(name.replace("\\", "/")).lstrip("/")
    while path.startswith("../"):
        path = path[3:]
    return path


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    return _composed(_composed(name).casefold())


def _base(name: str) -> str:
    return _folded(posixpath.basename(_plain(name)))


def _repacked(name: str) -> str:
    """A name in UTF-8 whose packer did not say so, which the format takes for another code."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


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
