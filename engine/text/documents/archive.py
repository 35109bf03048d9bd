"""Reads the files of documents: members of zip archives (EPUB and DOCX), and pictures beside pages.

The sizes that an archive states are not trusted.
"""

from __future__ import annotations

import lzma
import posixpath
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from engine.errors import DamagedDocument, EncryptedDocument, OversizedDocument, UnusableDocument
from engine.text.documents.reading import is_archive

MAX_MEMBER_BYTES = 64_000_000
MAX_READ_BYTES = 256_000_000
"""The limit for all members together; a book of a million words contains 6 MB of text."""
_ENCRYPTED, _UTF_8 = 0x1, 0x800
_BLOCK_BYTES = 1 << 20
_FAULTS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, OverflowError,
    ValueError,
)  # fmt: skip
"""The errors that the library raises for invalid content."""
MAX_PICTURE_BYTES = 8_000_000
"""The limit for a picture; a photograph for print is smaller."""
_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".bmp", ".avif", ".tif", ".tiff")


class Archive:
    """The members of a zip file by name; as a context manager it closes the file.

    Raises `UnusableDocument`, `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`, with the name of the file.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._read_bytes = 0
        try:
            self._file = zipfile.ZipFile(path)
        except _FAULTS as error:
            raise self.damaged() from error
        except OSError as error:
            raise UnusableDocument(
                f"“{path.name}” can’t be read ({error.strerror}).", "Choose a different one."
            ) from error

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all members, except for the metadata that macOS adds."""
        return frozenset(name for name in self._members if not name.startswith("__MACOSX/"))

    @property
    def members(self) -> tuple[str, ...]:
        """The names of all members in their order."""
        return tuple(self._members)

    @cached_property
    def _members(self) -> dict[str, zipfile.ZipInfo]:
        """The members by name; UTF-8 names that lack the UTF-8 flag are decoded, unless others have the same name."""
        stored = {member.filename: member for member in self._file.infolist()}
        decoded = {name: name if member.flag_bits & _UTF_8 else _repacked(name) for name, member in stored.items()}
        return {name if decoded[name] in stored else decoded[name]: member for name, member in stored.items()}

    @property
    def newest(self) -> tuple[int, ...]:
        """The latest date of a member: year, month, day, hour, minute and second."""
        return max(member.date_time for member in self._file.infolist())

    def copy(self, name: str, target: zipfile.ZipFile, content: bytes | None = None) -> None:
        """Copy a member with its date to a different archive, or write `content` in its place.

        Raises `OSError` if the target cannot be written.
        """
        member = self._members[name]
        copied = zipfile.ZipInfo(name, member.date_time)
        copied.external_attr, copied.file_size = member.external_attr, member.file_size
        copied.compress_type = (
            zipfile.ZIP_STORED if member.compress_type == zipfile.ZIP_STORED else zipfile.ZIP_DEFLATED
        )
        if content is not None:
            target.writestr(copied, content)
            return
        with target.open(copied, "w") as copy:
            for block in self.blocks(name):
                copy.write(block)

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a member, of any size, block by block."""
        try:
            member = self._members[name]
            if member.flag_bits & _ENCRYPTED:
                raise self.encrypted()
            with self._file.open(member) as file:
                while block := file.read(_BLOCK_BYTES):
                    yield block
        except _FAULTS as error:
            raise self.damaged() from error

    def read(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return the content of a member, of at most `max_bytes` (default: `MAX_MEMBER_BYTES`)."""
        max_bytes = MAX_MEMBER_BYTES if max_bytes is None else max_bytes
        try:
            member = self._members[name]
            if member.flag_bits & _ENCRYPTED:
                raise self.encrypted()
            with self._file.open(member) as file:
                content = file.read(max_bytes + 1)
        except (KeyError, OSError, *_FAULTS) as error:
            raise self.damaged() from error
        self._read_bytes += len(content)
        if len(content) > max_bytes or self._read_bytes > MAX_READ_BYTES:
            raise OversizedDocument(f"“{self._name}” is too large to open.", "Choose a different document.")
        return content

    def find(self, name: str) -> str | None:
        """Return the member that best matches a name as people and programs write it; None if none matches.

        A name may be quoted as in a link, have a fragment, backslashes or a leading slash, compose its accents
        differently, differ in case, or be packed in a different encoding.
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
        """Tables of members by normalized name, from the strictest to the loosest, each with its normalization."""
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
        """Return the root of an XML member; entities and external references are not followed."""
        from engine.text.documents.markup import xml_tree  # not needed to read pictures

        root = xml_tree(self.read(name))
        if root is None:
            raise self.damaged()
        return root

    def damaged(self) -> DamagedDocument:
        """Return the error for invalid content."""
        return DamagedDocument(f"“{self._name}” is damaged or incomplete.", "Get the document again.")

    def encrypted(self) -> EncryptedDocument:
        """Return the error for DRM-protected content."""
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
    """Return a path relative to the root of the archive, with slashes."""
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
    """Decode a UTF-8 name that lacks the UTF-8 flag, and was therefore read as code page 437."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def read_picture(path: Path, name: str) -> bytes | None:
    """Return the content of the picture that a document shows by this name; None if missing, damaged or too large.

    Nothing outside the document, or outside the folder of a page, is read.
    """
    try:
        if is_archive(path):
            with Archive(path) as archive:
                return archive.read(name, MAX_PICTURE_BYTES) if name in archive.names else None
        file = _file_beside(path, name)
        if file is None or file.stat().st_size > MAX_PICTURE_BYTES:
            return None
        return file.read_bytes()
    except (UnusableDocument, OSError, ValueError, MemoryError):  # a name can be invalid as a file name
        return None


def is_picture(name: str) -> bool:
    """Return whether a file name has the suffix of a supported picture format."""
    return name.casefold().endswith(_SUFFIXES)


def no_picture(_reference: str) -> None:
    """Find no picture, for documents without pictures."""


def picture_beside(page: Path, reference: str) -> str | None:
    """Return the name of the picture that a page refers to by a path; None if it is outside the folder of the page."""
    name = posixpath.normpath(reference.partition("?")[0].replace("\\", "/"))
    try:
        return name if _file_beside(page, name) is not None else None
    except (OSError, ValueError):
        return None


def _file_beside(page: Path, name: str) -> Path | None:
    """Return the picture of this name in or below the folder of a page, after resolving links."""
    folder = page.absolute().parent.resolve()
    file = (folder / name).resolve()
    return file if file.is_relative_to(folder) and is_picture(file.name) and file.is_file() else None
