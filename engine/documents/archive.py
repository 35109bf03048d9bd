"""Reads the files inside zip archives, which EPUB and DOCX are, without trusting what they say about their sizes."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lxml import etree

from engine.errors import DamagedDocument, EncryptedDocument, OversizedDocument

LARGEST_MEMBER_BYTES = 64_000_000
MOST_READ_BYTES = 256_000_000
"""Of all members together; a book of a million words has 6 MB of text."""
_ENCRYPTED = 0x1


class Archive:
    """The members of a zip file by name; as a context it closes the file.

    Raises `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`, with the name of the file.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._read_bytes = 0
        try:
            self._file = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise self.damaged() from error

    @property
    def names(self) -> frozenset[str]:
        """The names of all members."""
        return frozenset(self._file.namelist())

    def read(self, name: str) -> bytes:
        """The content of a member."""
        try:
            member = self._file.getinfo(name)
            if member.flag_bits & _ENCRYPTED:
                raise self.encrypted()
            with self._file.open(member) as file:
                content = file.read(LARGEST_MEMBER_BYTES + 1)
        except (KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
            raise self.damaged() from error
        self._read_bytes += len(content)
        if len(content) > LARGEST_MEMBER_BYTES or self._read_bytes > MOST_READ_BYTES:
            raise OversizedDocument(f"“{self._name}” unpacks to more than a book holds.", "Choose another document.")
        return content

    def tree(self, name: str) -> Any:
        """The root of an XML member; entities and links to elsewhere are not followed."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(self.read(name), parser)
        except etree.XMLSyntaxError as error:
            raise self.damaged() from error
        if root is None:
            raise self.damaged()
        return root

    def damaged(self) -> DamagedDocument:
        """The error for content that makes no sense."""
        return DamagedDocument(f"“{self._name}” is damaged or incomplete.", "Get another copy of it.")

    def encrypted(self) -> EncryptedDocument:
        """The error for content that only its shop's program can read."""
        return EncryptedDocument(f"“{self._name}” is protected against copying.", "Choose one without protection.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
