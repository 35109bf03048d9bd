"""Reads PDF files: the lines of each page, put together to paragraphs, under the headings of the outline."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from engine.documents.blocks import DEEPEST_LEVEL, Block, chapters_of
from engine.documents.document import Document
from engine.documents.page_lines import Heading, Line, paragraphs_of
from engine.documents.prose import clean
from engine.errors import DamagedDocument, EncryptedDocument, UnusableDocument

_LINE = re.compile("([^\r\n\ufffe\u0002]+)([\ufffe\u0002]?)")
"""PDFium puts U+FFFE, and formerly U+0002, in place of a hyphen and the end of a line."""
_MARK = re.compile(r"[\d*†‡§]")
_RAISED = 0.8
"""The marks of notes are smaller than this share of the line's size."""


def read(path: Path) -> Document:
    """The document in a PDF file; raises `DamagedDocument`, `EncryptedDocument`, or `UnusableDocument` for scans."""
    try:
        with pypdfium2.PdfDocument(path) as file:
            return _document(file, path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise EncryptedDocument(f"“{path.name}” has a password.", "Save a copy without a password.") from error
        raise DamagedDocument(f"“{path.name}” is damaged or incomplete.", "Get another copy of it.") from error


def _document(file: pypdfium2.PdfDocument, path: Path) -> Document:
    pages = [_lines(page, number) for number, page in enumerate(file)]
    if pages and not any(pages):
        raise UnusableDocument(
            f"“{path.name}” has pictures of pages, but no text.", "Let a program for text recognition read it first."
        )
    facts = file.get_metadata_dict()
    title = clean(facts.get("Title", "")) or path.stem
    blocks = [Block(text, level) for text, level in paragraphs_of(pages, list(_outline(file)))]
    return Document(title, clean(facts.get("Author", "")), _language(file), chapters_of(blocks, title))


def _outline(file: pypdfium2.PdfDocument) -> Iterator[Heading]:
    for bookmark in file.get_toc(max_depth=DEEPEST_LEVEL):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination is not None else None
        title = clean(bookmark.get_title())
        if page is not None and title:
            yield Heading(title, page, bookmark.level + 1)


def _lines(page: pypdfium2.PdfPage, number: int) -> list[Line]:
    text_page = page.get_textpage()
    try:
        return list(_lines_of(text_page, number))
    finally:
        text_page.close()
        page.close()


def _lines_of(page: pypdfium2.PdfTextPage, number: int) -> Iterator[Line]:
    for found in _LINE.finditer(page.get_text_range()):
        text = found[1].strip()
        if text:
            yield _line(page, number, text, found.start() + found[1].index(text), "-" if found[2] else "")


def _line(page: pypdfium2.PdfTextPage, number: int, text: str, first: int, end: str) -> Line:
    left, bottom, _, _ = page.get_charbox(_index(page, first), loose=True)
    _, _, right, _ = page.get_charbox(_index(page, first + len(text) - 1), loose=True)
    size = _size(page, first)
    return Line(_without_marks(page, text, first, size) + end, number, left, right, bottom, size)


def _without_marks(page: pypdfium2.PdfTextPage, text: str, first: int, size: float) -> str:
    """The text without raised digits and signs, which lead to notes."""
    raised = {
        found.start()
        for found in _MARK.finditer(text, 1)
        if _size(page, first + found.start()) < _RAISED * size
    }  # fmt: skip
    if not raised:
        return text
    return "".join(character for position, character in enumerate(text) if position not in raised)


def _size(page: pypdfium2.PdfTextPage, position: int) -> float:
    """The size in points of the character at a position of the page's text."""
    matrix = pdfium.FS_MATRIX()
    index = _index(page, position)
    pdfium.FPDFText_GetMatrix(page, index, matrix)
    scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
    return float(pdfium.FPDFText_GetFontSize(page, index)) * scale


def _index(page: pypdfium2.PdfTextPage, position: int) -> int:
    """PDFium counts characters that are not part of the text, too."""
    index = pdfium.FPDFText_GetCharIndexFromTextIndex(page, position)
    return index if index >= 0 else 0


def _language(file: pypdfium2.PdfDocument) -> str:
    length = pdfium.FPDFCatalog_GetLanguage(file, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFCatalog_GetLanguage(file, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    return buffer.raw[: length - 2].decode("utf-16-le", errors="replace").strip()
