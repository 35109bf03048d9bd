"""Reads PDF files: the lines of each page, put together to paragraphs, under the headings of the outline."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from engine.documents.blocks import DEEPEST_LEVEL, chapters_of
from engine.documents.document import Document
from engine.documents.notices import Notices, Omission
from engine.documents.page_columns import arranged, without_line_numbers
from engine.documents.page_lines import blocks_of
from engine.documents.page_shape import Heading
from engine.documents.page_text import Page, page_of
from engine.documents.prose import clean
from engine.errors import DamagedDocument, EncryptedDocument, UnusableDocument

_RECOGNISE = "Let a program for text recognition read it first."
_HIDDEN = Omission(
    "A page does not say which letters its signs are and is left out",
    "{} pages do not say which letters their signs are and are left out",
)
_TURNED = Omission(
    "Text that runs across or along a page is left out", "Text that runs across or along {} pages is left out"
)


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
    pages, notices = [_page(page, number) for number, page in enumerate(file)], Notices()
    if pages and not any(page.rows for page in pages):
        raise UnusableDocument(f"“{path.name}” has pictures of pages, but no text.", _RECOGNISE)
    if all(page.is_hidden for page in pages if page.rows):
        raise UnusableDocument(f"“{path.name}” has signs, but does not say which letters they are.", _RECOGNISE)
    for number, page in enumerate(pages, 1):
        if page.is_hidden:
            notices.tell(_HIDDEN, f"on page {number:,}")
        elif page.turned:
            notices.tell(_TURNED, f"on page {number:,}")
    facts = file.get_metadata_dict()
    title = clean(facts.get("Title", "")) or path.stem
    rows = without_line_numbers([() if page.is_hidden else page.rows for page in pages])
    blocks = list(blocks_of([arranged(page) for page in rows], list(_outline(file)), notices))
    chapters = chapters_of(blocks, title)
    return Document(title, clean(facts.get("Author", "")), _language(file), chapters, notices=notices.sentences())


def _outline(file: pypdfium2.PdfDocument) -> Iterator[Heading]:
    for bookmark in file.get_toc(max_depth=DEEPEST_LEVEL):
        page = _target(file, bookmark)
        title = clean(bookmark.get_title())
        if page is not None and title:
            yield Heading(title, page, bookmark.level + 1)


def _target(file: pypdfium2.PdfDocument, bookmark: pypdfium2.PdfBookmark) -> int | None:
    """The page that an entry of the outline leads to, from 0, by itself or by what it does."""
    destination = pdfium.FPDFBookmark_GetDest(file, bookmark)
    if not destination:
        action = pdfium.FPDFBookmark_GetAction(bookmark)
        destination = pdfium.FPDFAction_GetDest(file, action) if action else None
    page = pdfium.FPDFDest_GetDestPageIndex(file, destination) if destination else -1
    return page if page >= 0 else None


def _page(page: pypdfium2.PdfPage, number: int) -> Page:
    text_page = page.get_textpage()
    try:
        return page_of(text_page, number)
    finally:
        text_page.close()
        page.close()


def _language(file: pypdfium2.PdfDocument) -> str:
    length = pdfium.FPDFCatalog_GetLanguage(file, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFCatalog_GetLanguage(file, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    return buffer.raw[: length - 2].decode("utf-16-le", errors="replace").strip()
