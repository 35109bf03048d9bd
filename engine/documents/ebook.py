"""Reads EPUB books: the pages of the spine, cut into chapters where the table of contents says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

from engine.documents.archive import Archive
from engine.documents.blocks import DEEPEST_LEVEL, Block, chapters_of
from engine.documents.document import Document
from engine.documents.prose import clean
from engine.documents.web_page import blocks_of, tree_of

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PICTURES = frozenset({"image/jpeg", "image/png"})
_PAGES = frozenset({"application/xhtml+xml", "text/html"})
_HEADING_WITHIN_BLOCKS = 3
"""A title of the table of contents may follow a number or an ornament, but not more than this."""


@dataclass(frozen=True)
class _Entry:
    """A line of the table of contents: where it leads to, and how deep it is, 1 for the highest."""

    title: str
    file: str
    anchor: str
    level: int


@dataclass(frozen=True)
class _Item:
    """A file of the book; `properties` say what it is for."""

    file: str
    kind: str
    properties: frozenset[str]


def read(path: Path) -> Document:
    """The document in an EPUB file.

    Raises `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`.
    """
    with Archive(path) as archive:
        return _Book(archive, path.stem).document()


class _Book:
    """The files of an unpacked book, by what its package file says of them."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive = archive
        self._check_protection()
        package = next(iter(archive.tree(_CONTAINER).xpath("//*[local-name()='rootfile']/@full-path")), None)
        if package is None:
            raise archive.damaged()
        self._folder = posixpath.dirname(package)
        self._package = archive.tree(package)
        self._items = dict(self._listed())
        self._title = self._told("title") or name

    def document(self) -> Document:
        """What is in the book."""
        entries = list(self._contents())
        pages = [(file, blocks_of(tree_of(self._archive.read(file)))) for file in self._spine()]
        blocks = [block for file, page in pages for block in _with_entries(page, file, entries)]
        chapters = chapters_of(blocks, self._title)
        if len(chapters) == 1 and not entries:
            chapters = chapters_of(_page_by_page(pages), self._title)
        return Document(self._title, self._told("creator"), self._told("language"), chapters, self._cover())

    def _check_protection(self) -> None:
        """Raise `EncryptedDocument` unless only fonts are encrypted."""
        if _ENCRYPTION in self._archive.names:
            methods = self._archive.tree(_ENCRYPTION).xpath("//*[local-name()='EncryptionMethod']/@Algorithm")
            if any(method not in _FONT_METHODS for method in methods):
                raise self._archive.encrypted()

    def _listed(self) -> Iterator[tuple[str, _Item]]:
        for item in self._package.xpath("./*[local-name()='manifest']/*[@id and @href]"):
            properties = frozenset(item.get("properties", "").split())
            yield item.get("id"), _Item(self._path(item.get("href")), item.get("media-type", ""), properties)

    def _spine(self) -> list[str]:
        """The pages in the order of reading."""
        references = self._package.xpath("./*[local-name()='spine']/*[not(@linear='no')]/@idref")
        items = (self._items[each] for each in references if each in self._items)
        names = self._archive.names
        files = [item.file for item in items if item.kind in _PAGES and "nav" not in item.properties]
        if not files or not names.issuperset(files):
            raise self._archive.damaged()
        return files

    def _contents(self) -> Iterator[_Entry]:
        """The table of contents, of either edition of the format."""
        for item in self._items.values():
            if "nav" in item.properties and item.file in self._archive.names:
                yield from _entries_of_page(tree_of(self._archive.read(item.file)), item.file)
                return
        reference = next(iter(self._package.xpath("./*[local-name()='spine']/@toc")), None)
        contents = self._items.get(reference or "")
        if contents is not None and contents.file in self._archive.names:
            yield from _entries_of_map(self._archive.tree(contents.file), contents.file)

    def _cover(self) -> bytes | None:
        pictures = [item for item in self._items.values() if item.kind in _PICTURES]
        named = next(iter(self._package.xpath("//*[local-name()='meta'][@name='cover']/@content")), None)
        cover = next((item for item in pictures if "cover-image" in item.properties), self._items.get(named or ""))
        usable = cover is not None and cover in pictures and cover.file in self._archive.names
        return self._archive.read(cover.file) if usable and cover is not None else None

    def _told(self, name: str) -> str:
        """What the package says of the book, as of its title."""
        found = self._package.xpath("./*[local-name()='metadata']//*[local-name()=$name]", name=name)
        return clean("".join(found[0].itertext())) if found else ""

    def _path(self, reference: str) -> str:
        return _resolved(self._folder, reference)


def _entries_of_page(root: Any, file: str) -> Iterator[_Entry]:
    navigation = root.xpath("//nav[@*[contains(name(), 'type')]='toc']") or root.xpath("//nav")
    for link in navigation[0].iter("a") if navigation else ():
        level = sum(1 for each in link.iterancestors("ol")) or 1
        yield _entry("".join(link.itertext()), link.get("href", ""), file, level)


def _entries_of_map(root: Any, file: str) -> Iterator[_Entry]:
    for point in root.xpath("//*[local-name()='navPoint']"):
        label = "".join(point.xpath("string(./*[local-name()='navLabel'])"))
        link = "".join(point.xpath("string(./*[local-name()='content']/@src)"))
        level = len(point.xpath("ancestor-or-self::*[local-name()='navPoint']"))
        yield _entry(label, link, file, level)


def _entry(label: str, link: str, file: str, level: int) -> _Entry:
    target, anchor = urldefrag(link)
    title = clean(re.sub(r"\s+", " ", label))
    return _Entry(title, _resolved(posixpath.dirname(file), target), unquote(anchor), min(level, DEEPEST_LEVEL))


def _resolved(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference)))


def _with_entries(blocks: list[Block], file: str, entries: list[_Entry]) -> list[Block]:
    """The blocks of a page with headings where the table of contents leads to, and no others if there is one."""
    if not entries:
        return blocks
    made = [replace(block, level=0) for block in blocks]
    for entry in reversed([entry for entry in entries if entry.file == file and entry.title]):
        place = next((index for index, block in enumerate(blocks) if entry.anchor in block.anchors), 0)
        heading = _heading_near(made, place, entry)
        if heading is None:
            made.insert(place, Block(entry.title, entry.level))
        else:
            made[heading] = replace(made[heading], level=entry.level)
    return made


def _heading_near(blocks: list[Block], place: int, entry: _Entry) -> int | None:
    """The block at a place, or soon after it, that says the same as an entry."""
    for index in range(place, min(place + _HEADING_WITHIN_BLOCKS, len(blocks))):
        if _letters(blocks[index].text) == _letters(entry.title):
            return index
    return None


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _page_by_page(pages: list[tuple[str, list[Block]]]) -> list[Block]:
    """For a book without a table of contents and headings: each page is a chapter."""
    written = [page for _, page in pages if page]
    return [each for number, page in enumerate(written, 1) for each in (Block(f"Chapter {number}", 1), *page)]
