"""Reads pieces of HTML as the tests write them, and creates books of such pages."""

from __future__ import annotations

import zipfile
from pathlib import Path

from engine.text.documents.blocks import Block, chapters_of
from engine.text.documents.document import Chapter, Document
from engine.text.documents.ebook import read
from engine.text.documents.web_page import blocks_of, tree_of

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="{}" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PAGE = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>A page</title>{}</head><body>{}</body></html>'
)


def blocks(page: str) -> list[Block]:
    """Return the blocks of the main part of a page that have text."""
    return [block for block in blocks_of(tree_of(page.encode()), main=True) if block.text]


def texts(page: str) -> list[str]:
    """Return their texts."""
    return [block.text for block in blocks(page)]


def shown(chapter: Chapter) -> list[tuple[str, str]]:
    """Return the looks of the spans of a chapter with their contents."""
    return [(style.text_style.value, chapter.text[style.start : style.end]) for style in chapter.styles]


def shown_on(page: str) -> list[tuple[str, str]]:
    """Return the same for the chapters of a page."""
    return [each for chapter in chapters_of(blocks(page), "A page") for each in shown(chapter)]


def xhtml(body: str, head: str = "") -> str:
    """Return a page of a book."""
    return PAGE.format(head, body)


def package(
    items: list[tuple[str, str]], metadata: str = "<dc:title>The Book</dc:title>", linear: str = "", after: str = ""
) -> str:
    """Return a package file with these files, by their names and types, in this reading order."""
    manifest = "".join(f'<item id="i{n}" href="{href}" {kind}/>' for n, (href, kind) in enumerate(items))
    spine = "".join(f'<itemref idref="i{n}" {linear}/>' for n, (_, kind) in enumerate(items) if "ncx" not in kind)
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{manifest}</manifest><spine>{spine}</spine>{after}</package>"
    )


XHTML = 'media-type="application/xhtml+xml"'


def packed_as(path: Path, members: dict[str, str | bytes]) -> Path:
    """Write an archive with these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def book_of(
    folder: Path, pages: dict[str, str | bytes], spine: list[tuple[str, str]] | None = None, **extra: str | bytes
) -> Document:
    """Read a book of pages by their names; the spine has references and types if they differ from the names."""
    items = spine or [(name, XHTML) for name in pages]
    members: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER.format("OEBPS/book.opf"),
        "OEBPS/book.opf": package(items),
        **{f"OEBPS/{name}": text for name, text in pages.items()},
    }
    members.update({name.replace("__", "/").replace("_0_", "."): text for name, text in extra.items()})
    return read(packed_as(folder / "book.epub", {name: text for name, text in members.items() if text != ""}))
