"""Reads PDF files: joins the lines of each page into paragraphs, under the headings of the outline."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

import pypdfium2
import pypdfium2.raw as pdfium

from engine.errors import DamagedDocument, EncryptedDocument, UnusableDocument
from engine.text.documents.blocks import DEEPEST_LEVEL, chapters_of
from engine.text.documents.document import Document, Notices, Omission
from engine.text.documents.formulas import with_raised
from engine.text.documents.page_columns import Heading, PageLine, Row, arranged, without_line_numbers
from engine.text.documents.page_lines import blocks_of
from engine.text.documents.prose import clean

_LINE = re.compile("([^\r\n\ufffe\u0002]+)([\ufffe\u0002]?)")
"""A line of text; PDFium replaces a hyphen and the line end after it by U+FFFE, and formerly by U+0002."""
_WORD = re.compile(r"\S+")
_MARK = re.compile(r"[+−-]?\d+|[*†‡§]+")
_RAISED = 0.8
"""The largest size of note marks and powers, as a share of the line's size."""
_LIFTED = 0.12
"""The smallest height of note marks and powers above the baseline, as a share of the line's size; indices are lower."""
_GAP_SIZES = 0.75
"""The smallest gap that divides a line into pieces, in font sizes; only very loose lines have wider word spaces."""
_SPACED_LETTERS = 4
_SPACED_GAP = 1.6
_SPACED_END = 5
_INITIAL_SIZES = 1.5
_TURNED_DEGREES = 10
_WORDLIKE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LATIN = re.compile(r"[A-Za-z]{4,}")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_FEWEST_WORDS = 20
_RECOGNIZE = "Run OCR on it first."
_HIDDEN = Omission(
    "A page has no mapping from glyphs to letters and is skipped",
    "{} pages have no mapping from glyphs to letters and are skipped",
)
_TURNED = Omission(
    "Text that runs across or along a page is skipped", "Text that runs across or along {} pages is skipped"
)


@dataclass(frozen=True)
class PdfPage:
    """The lines in the main direction of the page; `turned` are the texts of all others.

    `is_hidden` tells that its fonts do not map glyphs to letters.
    """

    rows: tuple[Row, ...]
    turned: tuple[str, ...] = ()
    is_hidden: bool = False


@dataclass
class _Piece:
    """The words of a line that stand close to each other."""

    words: list[tuple[int, str]] = field(default_factory=list)
    left: float = 0.0
    right: float = 0.0


def page_of(page: pypdfium2.PdfTextPage, number: int) -> PdfPage:
    """Return the printed text of a page."""
    return _Reader(page, number).page()


class _Reader:
    def __init__(self, page: pypdfium2.PdfTextPage, number: int) -> None:
        self._handle = page.raw
        self._rectangle = pdfium.FS_RECTF()
        self._number = number
        self._text = page.get_text_range()
        self._quarters = 0

    def page(self) -> PdfPage:
        found = [each for each in _LINE.finditer(self._text) if each[1].strip()]
        turns = [self._degrees(each.start() + _first(each[1])) for each in found]
        weights: Counter[int] = Counter()
        for each, turn in zip(found, turns, strict=True):
            weights[round(turn / 90) % 4] += len(each[1])
        self._quarters = weights.most_common(1)[0][0] if weights else 0
        straight = [
            abs((turn - 90 * self._quarters + 180) % 360 - 180) <= _TURNED_DEGREES for turn in turns
        ]  # fmt: skip
        rows = tuple(tuple(self._row(each)) for each, is_straight in zip(found, straight, strict=True) if is_straight)
        turned = tuple(each[1].strip() for each, is_straight in zip(found, straight, strict=True) if not is_straight)
        return PdfPage(rows, turned, self._is_hidden(found))

    def _row(self, found: re.Match[str]) -> Iterator[PageLine]:
        first = found.start() + _first(found[1])
        size = self._size(first)
        pieces = list(self._pieces(found, size))
        for piece in pieces:
            end = "-" if found[2] and piece is pieces[-1] else ""
            yield self._line(piece, end)

    def _pieces(self, found: re.Match[str], size: float) -> Iterator[_Piece]:
        """Yield the pieces of a line, with letterspaced words restored."""
        words = list(_WORD.finditer(found[1]))
        boxes = [self._span(found.start() + each.start(), found.start() + each.end() - 1) for each in words]
        gaps = [0.0, *(after[0] - before[1] for before, after in pairwise(boxes))]
        spaced = _spaced([each[0] for each in words], gaps)
        piece = _Piece()
        for at, (word, box) in enumerate(zip(words, boxes, strict=True)):
            widest = _GAP_SIZES * size if spaced[at] is None else _SPACED_END * (spaced[at] or 0.0)
            if piece.words and (gaps[at] > widest or gaps[at] < -size):
                yield piece
                piece = _Piece()
            if not piece.words:
                piece.left, piece.right = box
            close = piece.words and spaced[at] is not None and gaps[at] <= _SPACED_GAP * (spaced[at] or 0.0)
            piece.words.append((found.start() + word.start(), word[0] if close or not piece.words else f" {word[0]}"))
            piece.right = max(piece.right, box[1])
        yield piece

    def _line(self, piece: _Piece, end: str) -> PageLine:
        letter = _last_letter(piece.words)
        size, base = self._size(letter), self._height(letter)
        text, marks = "".join(word for _, word in piece.words), []
        if _MARK.search(text):
            text = ""
            for place, word in piece.words:
                text, found = self._without_marks(text, word, place, size, base)
                marks += found
        bottom, start = self._box(letter)[2], piece.words[0][0]
        if start < letter and self._size(start) > _INITIAL_SIZES * size:
            piece.left = self._box(start + 1)[0]  # the next lines also begin there
        return PageLine(text + end, self._number, piece.left, piece.right, bottom, size, tuple(marks))

    def _without_marks(self, before: str, word: str, place: int, size: float, base: float) -> tuple[str, list[str]]:
        """Return the text with a word added, raised digits as powers, and separately the note marks."""
        if not _MARK.search(word):
            return before + word, []
        text, marks, done = before, [], 0
        blanks = len(word) - len(word.lstrip())
        for found in _MARK.finditer(word):
            index = place + found.start() - blanks
            if not self._is_raised(index, size, base):
                continue
            text += word[done : found.start()]
            done = found.end()
            said = with_raised(text.rstrip(), found[0]) if text else f"{found[0]} "
            text = text.rstrip() + said if said and said != found[0] else text + said
            if not said:
                marks.append(found[0])
        return text + word[done:], marks

    def _is_raised(self, position: int, size: float, base: float) -> bool:
        return self._size(position) < _RAISED * size and self._height(position) > base + _LIFTED * size

    def _is_hidden(self, found: list[re.Match[str]]) -> bool:
        """Return whether most glyphs are not mapped to letters, or to letters that form no words."""
        total = hidden = 0
        for each in found:
            total += len(each[1])
            index = self._index(each.start() + _first(each[1]))
            private = sum(1 for sign in each[1] if "\ue000" <= sign <= "\uf8ff" or sign == "\ufffd")
            unmapped = pdfium.FPDFText_HasUnicodeMapError(self._handle, index) == 1
            hidden += len(each[1]) if unmapped else private
        words = _LATIN.findall(self._text)
        odd = sum(1 for word in words if not _VOWEL.search(word) or not _WORDLIKE.fullmatch(word))
        return hidden > total / 2 or (len(words) >= _FEWEST_WORDS and odd > len(words) / 2)

    def _span(self, first: int, last: int) -> tuple[float, float]:
        """Return the left and right ends of a range of characters."""
        left, right, _ = self._box(first)
        return left, right if last == first else self._box(last)[1]

    def _box(self, position: int) -> tuple[float, float, float]:
        """Return the left, right and lower edges of a character, as if the page were upright."""
        box = self._rectangle
        pdfium.FPDFText_GetLooseCharBox(self._handle, self._index(position), box)
        if self._quarters == 0:
            return box.left, box.right, box.bottom
        if self._quarters == 1:
            return box.bottom, box.top, -box.right
        return (-box.right, -box.left, -box.top) if self._quarters == 2 else (-box.top, -box.bottom, box.left)

    def _degrees(self, position: int) -> float:
        matrix = self._matrix(position)
        return math.degrees(math.atan2(matrix.b, matrix.a))

    def _height(self, position: int) -> float:
        """Return the height of the baseline of a character."""
        matrix = self._matrix(position)
        return float((matrix.f, -matrix.e, -matrix.f, matrix.e)[self._quarters])

    def _size(self, position: int) -> float:
        """Return the size in points of the character at a position of the page's text."""
        matrix = self._matrix(position)
        scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
        return float(pdfium.FPDFText_GetFontSize(self._handle, self._index(position))) * scale

    def _matrix(self, position: int) -> pdfium.FS_MATRIX:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._handle, self._index(position), matrix)
        return matrix

    def _index(self, position: int) -> int:
        """Return PDFium's index of a character; PDFium also counts characters that are not part of the text."""
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._handle, position)
        return index if index >= 0 else 0


def _first(text: str) -> int:
    return len(text) - len(text.lstrip())


def _last_letter(words: list[tuple[int, str]]) -> int:
    """Return the place of the last letter, which has the size of the line.

    The first may be a drop cap, and the last character a note mark.
    """
    for place, word in reversed(words):
        said = word.strip()
        for at in range(len(said) - 1, -1, -1):
            if said[at].isalpha():
                return place + at
    return words[0][0]


def _spaced(words: list[str], gaps: list[float]) -> list[float | None]:
    """Return the median gap for each letter of a letterspaced word; None for other words."""
    made: list[float | None] = [None] * len(words)
    start = 0
    for at in range(len(words) + 1):
        if at < len(words) and len(words[at]) == 1 and words[at].isalnum():
            continue
        if at - start >= _SPACED_LETTERS and any(each.isalpha() for each in words[start:at]):
            made[start + 1 : at] = [median(gaps[start + 1 : at])] * (at - start - 1)
        start = at + 1
    return made


def read(path: Path) -> Document:
    """Read a PDF file; raises `DamagedDocument`, `EncryptedDocument`, or `UnusableDocument` for scans."""
    try:
        with pypdfium2.PdfDocument(path) as file:
            return _document(file, path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise EncryptedDocument(
                f"“{path.name}” is password-protected.", "Save a copy without a password."
            ) from error
        raise DamagedDocument(f"“{path.name}” is damaged or incomplete.", "Get the document again.") from error


def _document(file: pypdfium2.PdfDocument, path: Path) -> Document:
    pages, notices = [_page(page, number) for number, page in enumerate(file)], Notices()
    if pages and not any(page.rows for page in pages):
        raise UnusableDocument(f"“{path.name}” contains only scanned pages.", _RECOGNIZE)
    if all(page.is_hidden for page in pages if page.rows):
        raise UnusableDocument(f"“{path.name}” has glyphs without a mapping to letters.", _RECOGNIZE)
    for number, page in enumerate(pages, 1):
        if page.is_hidden:
            notices.add(_HIDDEN, f"on page {number:,}")
        elif page.turned:
            notices.add(_TURNED, f"on page {number:,}")
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
    """Return the page that an outline entry leads to, from 0, by its destination or its action."""
    destination = pdfium.FPDFBookmark_GetDest(file, bookmark)
    if not destination:
        action = pdfium.FPDFBookmark_GetAction(bookmark)
        destination = pdfium.FPDFAction_GetDest(file, action) if action else None
    page = pdfium.FPDFDest_GetDestPageIndex(file, destination) if destination else -1
    return page if page >= 0 else None


def _page(page: pypdfium2.PdfPage, number: int) -> PdfPage:
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
