"""Reads EPUB books: the pages of the spine, divided into chapters by the table of contents."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from engine.errors import DamagedDocument, UnusableDocument
from engine.text.documents.archive import Archive
from engine.text.documents.blocks import Block, chapters_of
from engine.text.documents.book_contents import (
    ContentsEntry,
    entries_of_links,
    entries_of_map,
    entries_of_page,
    with_entries,
)
from engine.text.documents.document import Document, Matter, Notices, Omission, Picture
from engine.text.documents.html_blocks import PageBlock, pieces_of, with_pictures_behind
from engine.text.documents.html_matter import is_front_page, sorted_blocks, with_license
from engine.text.documents.html_notes import mark_notes
from engine.text.documents.inline import DocumentPictures
from engine.text.documents.markup import page_tree, text_of, tree_of_text
from engine.text.documents.matter import matter_of_kinds
from engine.text.documents.prose import clean
from engine.text.documents.unread import Unread, kinds_of

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PICTURES = frozenset({"image/jpeg", "image/png", "image/svg+xml"})
_PAGE_TYPES = frozenset({"application/xhtml+xml", "text/html"})
_PAGE_SUFFIXES = (".xhtml", ".html", ".htm", ".xht", ".xml")
_NO_PAGE = re.compile(r"(?:image|audio|video|font)/|text/(?:css|javascript)|.*(?:dtbncx|font|javascript|smil|pls)")
_MAP_TYPE, _MAP_SUFFIX = "application/x-dtbncx+xml", ".ncx"
_TITLE_BLOCKS = 2
"""The number of paragraphs at the beginning of a page that may be its title."""
_MISSING = Omission("A page of the book is missing", "{} pages of the book are missing")
_EMPTY = Omission("A page of the book is empty", "{} pages of the book are empty")
_UNREADABLE = Omission("A page of the book is damaged and skipped", "{} pages of the book are damaged and skipped")
_GUESSED = Omission(
    "The encoding of a page is missing or wrong, and was guessed",
    "The encoding of {} pages is missing or wrong, and was guessed",
)
_PACKAGE = Omission("The book doesn’t specify its list of pages; one was found", "")
_ORDER = Omission("The book doesn’t specify the order of its pages; one was assumed", "")


@dataclass(frozen=True)
class _Item:
    """A file of the book; `properties` specify its purpose."""

    file: str
    kind: str
    properties: frozenset[str]


def read(path: Path) -> Document:
    """Read an EPUB file.

    Raises `UnusableDocument`, `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`.
    """
    with Archive(path) as archive:
        return _Book(archive, path).document()


class _Book:
    """The files of an unpacked book, as its package file describes them."""

    def __init__(self, archive: Archive, path: Path) -> None:
        self._archive = archive
        self._name = path.name
        self._notices = Notices()
        self._apart: frozenset[str] = frozenset()
        self._references: dict[tuple[str, str], str] = {}
        self._sheets: dict[str, str] = {}
        self._waiting: list[Picture] = []
        self._check_protection()
        self._package_file = self._found_package()
        self._package = None if self._package_file is None else self._tree(self._package_file)
        self._items = dict(self._listed())
        self._title = self._metadata("title") or path.stem

    def document(self) -> Document:
        """Return the content of the book."""
        roots = self._pages()
        mark_notes(roots, lambda file, target: self._resolved(posixpath.dirname(file), target))
        pages = list(self._pages_of_pieces(roots))
        if not any(piece.block.text for page in pages for piece in page):
            raise self._without_text()
        sorted_pages = dict(zip(roots, sorted_blocks(pages, in_book=True), strict=True))
        sorted_pages = self._with_front_pages(sorted_pages)
        if not self._entries:
            sorted_pages = _with_styled_titles(sorted_pages, pages)
        blocks = [block for page in self._headed(sorted_pages, roots) for block in page]
        chapters = chapters_of(with_license(blocks), self._title)
        told = self._metadata("creator"), self._metadata("language"), chapters, self._cover(), self._notices.sentences()
        return Document(self._title, *told)

    def _without_text(self) -> UnusableDocument:
        return UnusableDocument(f"“{self._name}” contains only pictures.", "Choose a different one.")

    def _check_protection(self) -> None:
        """Raise `EncryptedDocument` unless only fonts are encrypted."""
        if (name := self._archive.find(_ENCRYPTION)) is not None:
            methods = self._archive.tree(name).xpath("//*[local-name()='EncryptionMethod']/@Algorithm")
            if any(method not in _FONT_METHODS for method in methods):
                raise self._archive.encrypted()

    def _found_package(self) -> str | None:
        """Return the package file: the one that the container names, or else one found by its suffix."""
        if (name := self._archive.find(_CONTAINER)) is not None:
            container = self._tree(name)
            paths = [] if container is None else container.xpath("//*[local-name()='rootfile']/@full-path")
            if found := next((found for path in paths if (found := self._archive.find(path))), None):
                return str(found)
        packages = sorted(
            (name for name in self._archive.names if name.lower().endswith(".opf")),
            key=lambda name: (name.count("/"), name),
        )
        if packages:
            self._notices.add(_PACKAGE, f"in {packages[0]}")
            return packages[0]
        if not self._files_of_pages():
            raise self._archive.damaged()
        return None

    def _tree(self, file: str) -> Any:
        """Return the root of an XML file; None if it cannot be read."""
        try:
            return self._archive.tree(file)
        except DamagedDocument:
            return None

    def _files_of_pages(self) -> list[str]:
        """Return all files that may be pages, sorted by name with numbers in numeric order."""
        names = self._archive.names
        files = [name for name in names if name.lower().endswith(_PAGE_SUFFIXES) and not name.startswith("META-INF/")]
        return sorted(files, key=_natural)

    def _listed(self) -> Iterator[tuple[str, _Item]]:
        if self._package is None:
            return
        for item in self._package.xpath("./*[local-name()='manifest']/*[@id and @href]"):
            properties = frozenset(item.get("properties", "").split())
            yield item.get("id"), _Item(self._path(item.get("href")), item.get("media-type", "").lower(), properties)

    def _spine(self) -> tuple[list[str], list[str]]:
        """Return the pages in reading order, and the non-linear ones, such as notes."""
        references = [] if self._package is None else self._package.xpath("./*[local-name()='spine']/*[@idref]")
        linear = [each for each in references if each.get("linear", "").lower() != "no"]
        files = self._files_of(linear or references)
        if files:
            return files, [file for file in self._files_of(references) if file not in files]
        listed = [item.file for item in self._items.values() if _is_page(item) and "nav" not in item.properties]
        present = [file for file in listed if file in self._archive.names]
        self._notices.add(_ORDER, "that of their list" if present else "that of their names")
        contents = [item.file for item in self._items.values() if "nav" in item.properties]
        named = [file for file in self._files_of_pages() if file not in contents]
        if not present and not named and references:
            raise self._without_text()
        return list(dict.fromkeys(present or named)), []

    def _files_of(self, references: Sequence[Any]) -> list[str]:
        """Return the pages that references in the spine mean, by identifier or by name."""
        files = []
        for each in references:
            item = self._items.get(each.get("idref"))
            named = self._path(each.get("idref"))
            if item is not None and _is_page(item) and "nav" not in item.properties:
                files.append(item.file)
            elif item is None:
                files.append(named if named in self._archive.names else each.get("idref"))
        return list(dict.fromkeys(files))

    def _pages(self) -> dict[str, Any]:
        """Return the trees of the pages in reading order, by file."""
        roots: dict[str, Any] = {}
        files, apart = self._spine()
        self._apart = frozenset(apart)
        for file in [*files, *apart]:
            if file not in self._archive.names:
                self._notices.add(_MISSING, f"“{posixpath.basename(file)}”")
                continue
            try:
                content = self._archive.read(file)
                source = text_of(content, posixpath.basename(file))
                roots[file] = tree_of_text(source.text)
                if source.notices:
                    self._notices.add(_GUESSED, f"“{posixpath.basename(file)}”")
                if not content.strip():
                    self._notices.add(_EMPTY, f"“{posixpath.basename(file)}”")
            except DamagedDocument:
                self._notices.add(_UNREADABLE, f"“{posixpath.basename(file)}”")
        if not roots:
            raise self._archive.damaged()
        return roots

    def _pieces(self, file: str, root: Any) -> list[PageBlock]:
        """Return the pieces of a page, with the matter that the page itself or the book's list of parts specifies."""
        links = root.xpath("//link[contains(@rel, 'stylesheet')]/@href")
        sheets = [self._sheet(self._resolved(posixpath.dirname(file), link)) for link in links]
        unread = Unread(root, sheets, in_book=True)
        pictures = DocumentPictures(partial(self._picture, posixpath.dirname(file)), self._waiting)
        place = f"in “{posixpath.basename(file)}”"
        pieces = pieces_of([root], unread, self._notices, place, in_book=True, pictures=pictures)
        matter = self._matters.get(file, Matter.BACK if file in self._apart else None)
        if matter is None:
            return pieces
        return [
            replace(piece, block=replace(piece.block, matter=matter)) if piece.block.matter is Matter.TEXT else piece
            for piece in pieces
        ]

    def _picture(self, folder: str, reference: str) -> str | None:
        """Return the archive member that a page in a folder refers to as a picture, unless it is the cover."""
        file = self._resolved(folder, reference)
        return file if file in self._archive.names and file != self._cover_file else None

    def _pages_of_pieces(self, roots: Mapping[str, Any]) -> Iterator[list[PageBlock]]:
        """Yield the pieces of each page.

        Pictures without text follow the text before them, unless the table of contents leads to them.
        """
        listed = {entry.file for entry in self._entries}
        last: list[PageBlock] = []
        for number, (file, root) in enumerate(roots.items(), 1):
            page = self._pieces(file, root)
            last = page or last
            if last and (file not in listed or number == len(roots)):
                last[-1] = with_pictures_behind(last[-1], self._waiting)
            yield page

    def _sheet(self, file: str) -> str:
        """Return a style sheet; empty if it cannot be read."""
        if file not in self._sheets:
            try:
                self._sheets[file] = text_of(self._archive.read(file)).text if file in self._archive.names else ""
            except DamagedDocument:
                self._sheets[file] = ""
        return self._sheets[file]

    @cached_property
    def _matters(self) -> dict[str, Matter]:
        """The matter of whole pages, from the EPUB 2 guide and the EPUB 3 landmarks."""
        told: list[tuple[str, str]] = []
        if self._package is not None:
            guide = self._package.xpath("./*[local-name()='guide']/*[@href]")
            told += [(each.get("type", ""), self._path(each.get("href"))) for each in guide]
        if (navigation := self._navigation) is not None:
            for nav in navigation[1].iter("nav"):
                if "landmarks" in kinds_of(nav):
                    folder = posixpath.dirname(navigation[0])
                    told += [
                        (kind, self._resolved(folder, link.get("href", "")))
                        for link in nav.iter("a")
                        for kind in kinds_of(link)
                    ]
        found = ((file, matter_of_kinds([kind])) for kind, file in told)
        entries = Counter(entry.file for entry in self._entries)
        return {file: matter for file, matter in found if matter is not None and entries[file] < 2}

    @cached_property
    def _navigation(self) -> tuple[str, Any] | None:
        """The EPUB 3 page of contents and its tree."""
        item = next((item for item in self._items.values() if "nav" in item.properties), None)
        if item is None or item.file not in self._archive.names:
            return None
        try:
            return item.file, page_tree(self._archive.read(item.file), self._name)
        except DamagedDocument:
            return None

    @cached_property
    def _entries(self) -> list[ContentsEntry]:
        """The table of contents, in either version of the format."""
        if self._navigation is not None:
            entries = list(entries_of_page(self._navigation[1], self._navigation[0], self._resolved))
            if entries:
                return entries
        for file in self._maps():
            root = self._tree(file)
            entries = [] if root is None else list(entries_of_map(root, file, self._resolved))
            if entries:
                return entries
        return []

    def _maps(self) -> list[str]:
        """Return the files that may be an EPUB 2 table of contents, the one that the spine names first."""
        named = [] if self._package is None else self._package.xpath("./*[local-name()='spine']/@toc")
        files = [self._items[each].file for each in named if each in self._items]
        files += [item.file for item in self._items.values() if item.kind == _MAP_TYPE]
        files += sorted(name for name in self._archive.names if name.lower().endswith(_MAP_SUFFIX))
        return [file for file in dict.fromkeys(files) if file in self._archive.names]

    def _with_front_pages(self, pages: dict[str, list[Block]]) -> dict[str, list[Block]]:
        """Mark pages before the first listed one as front matter if they look like it."""
        listed = {entry.file for entry in self._entries}
        made, before_text = {}, len(pages) > 1
        for file, page in pages.items():
            before_text = before_text and file not in listed
            is_front = before_text and is_front_page(page, self._title)
            before_text = before_text and (is_front or not any(block.text for block in page))
            made[file] = [replace(block, matter=Matter.FRONT) for block in page] if is_front else page
        return made

    def _headed(self, pages: dict[str, list[Block]], roots: Mapping[str, Any]) -> list[list[Block]]:
        """Return the pages with the headings of the table of contents, or with their own if there is none."""
        entries: Sequence[ContentsEntry] = self._entries
        written = [page for page in pages.values() if any(block.text for block in page)]
        if not any(entry.file in pages for entry in entries):
            headings = sum(any(block.level for block in page) for page in written)
            if headings > 1 or len(written) < 2:
                return written
            linked = (entries_of_links(root, file, self._resolved, pages) for file, root in roots.items())
            entries = next((found for found in linked if found), [])
        if not entries:
            return _page_by_page(written)
        by_file: dict[str, list[ContentsEntry]] = {}
        for entry in entries:
            by_file.setdefault(entry.file, []).append(entry)
        return [with_entries(page, by_file.get(file, ())) for file, page in pages.items()]

    @cached_property
    def _cover_file(self) -> str | None:
        """The picture of the cover, in either version of the format."""
        pictures = [item for item in self._items.values() if item.kind in _PICTURES]
        metas = () if self._package is None else self._package.xpath("//*[local-name()='meta'][@name='cover']/@content")
        named = next(iter(metas), None)
        cover = next((item for item in pictures if "cover-image" in item.properties), self._items.get(named or ""))
        is_there = cover is not None and cover in pictures and cover.file in self._archive.names
        return cover.file if cover is not None and is_there else None

    def _cover(self) -> bytes | None:
        if self._cover_file is None:
            return None
        try:
            return self._archive.read(self._cover_file)
        except DamagedDocument:
            return None

    def _metadata(self, name: str) -> str:
        """Return a metadata field of the package, such as the title; empty if missing."""
        if self._package is None:
            return ""
        metadata = self._package.xpath("./*[local-name()='metadata']")
        told = (
            [each for each in metadata[0].iter("{*}*") if str(each.tag).rpartition("}")[2].lower() == name]
            if metadata
            else []
        )
        return clean(" ".join("".join(told[0].itertext()).split())) if told else ""

    def _path(self, reference: str) -> str:
        return self._resolved(posixpath.dirname(self._package_file or ""), reference)

    def _resolved(self, folder: str, reference: str) -> str:
        """Return the archive member that a reference from a folder means; if there is none, the joined path."""
        if (folder, reference) not in self._references:
            path = posixpath.join(folder, reference.replace("\\", "/"))
            self._references[folder, reference] = self._archive.find(path) or path
        return self._references[folder, reference]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name.casefold())]


def _is_page(item: _Item) -> bool:
    """Return whether a file is a page, even if its media type is wrong."""
    if item.kind in _PAGE_TYPES:
        return True
    return not _NO_PAGE.match(item.kind) and item.file.partition("#")[0].lower().endswith(_PAGE_SUFFIXES)


def _with_styled_titles(pages: dict[str, list[Block]], pieces: Sequence[Sequence[PageBlock]]) -> dict[str, list[Block]]:
    """Make headings of first paragraphs with the style of titles, for books without headings."""
    levels = [block.level for page in pages.values() for block in page[:_TITLE_BLOCKS] if block.level]
    level = min(levels, default=1)
    made = {}
    for (file, page), own in zip(pages.items(), pieces, strict=True):
        styled = {piece.block.text for piece in own[:_TITLE_BLOCKS] if piece.like_title}
        leading = [replace(block, level=level) if block.text in styled else block for block in page[:_TITLE_BLOCKS]]
        has_own = any(block.level for block in page)
        made[file] = page if has_own else [*leading, *page[_TITLE_BLOCKS:]]
    return made


def _page_by_page(pages: Sequence[Sequence[Block]]) -> list[list[Block]]:
    """Make each page a chapter, for a book without a table of contents and headings."""
    return [
        list(page) if page[0].level else [Block(f"Chapter {number}", 1, matter=page[0].matter), *page]
        for number, page in enumerate(pages, 1)
    ]
