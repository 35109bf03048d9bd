"""A chapter as a document with headings, emphasis, quotes and pictures."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import (
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
)

from app.book.pictures import PICTURE, STAND_IN, LoadPicture, Pictures, description_of, height_of
from app.widgets.place_chooser import MARGIN_PIXELS
from app.widgets.text_views import Utf16Positions
from engine.text.documents import Chapter, Picture, Styled, TextStyle

LINE_PERCENT = 150
HEADING_LINE_PERCENT = 120
LARGER_BY_LEVEL = {1: 3, 2: 2, 3: 1}
"""The number of Qt's size steps by which a heading exceeds the text, to 200, 150 and 120 %."""
BETWEEN_PARAGRAPHS_EM = 0.7
ABOVE_HEADING_EM, BELOW_HEADING_EM = 1.6, 0.8
BELOW_PICTURE_EM = 1.2
QUOTE_INDENT_EM = 2.0
INLINE_PICTURE_EM = 1.5
"""The maximum height of a picture inside a paragraph; a higher one stands before the paragraph."""
_SINGLE = QTextBlockFormat.LineHeightTypes.SingleHeight.value
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_NOT_KEPT = re.compile("[\n\r\u2029\ufdd0\ufdd1\ufeff\ufffc\ud800-\udfff]")
"""Characters that Qt gives a special meaning; each is shown as one that it preserves."""
_KEPT_AS = {"\n": "\u2028", "\r": " ", "\u2029": "\u2028", "\ufeff": "\u2060"}


class ChapterPositions:
    """Maps the characters of a chapter's text to positions in its document, in Qt's UTF-16 units.

    Each character of a paragraph has a separate position. Characters between paragraphs are at the end of the one
    before; pictures are not characters, and a position at one is that of the next character.
    """

    def __init__(self, text: str) -> None:
        self._units = Utf16Positions(text)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._positions: list[int] = []

    def add(self, start: int, end: int, position: int) -> None:
        """Add characters `start` to `end` at a position; both come after those added before."""
        self._starts.append(start)
        self._ends.append(end)
        self._positions.append(position)

    def position(self, character: int) -> int:
        """Return the position of a character, or the one before it."""
        if not self._starts:
            return 0
        piece = max(0, bisect_right(self._starts, character) - 1)
        start = self._starts[piece]
        shown = min(max(character, start), self._ends[piece])
        return self._positions[piece] + self._units.of(shown) - self._units.of(start)

    def character(self, position: int) -> int:
        """Return the character at a position."""
        if not self._starts:
            return 0
        piece = bisect_right(self._positions, position) - 1
        if piece < 0:
            return self._starts[0]
        units = self._units.of(self._starts[piece]) + position - self._positions[piece]
        character = self._units.character(units)
        if character <= self._ends[piece] or piece + 1 == len(self._starts):
            return min(character, self._ends[piece])
        return self._starts[piece + 1]


class ChapterDocument(QTextDocument):
    """A document that shows `chapter` on a page, in a font with a size in pixels; `positions` maps its characters."""

    def __init__(
        self, chapter: Chapter, font: QFont, page: QTextFrameFormat, load_picture: LoadPicture, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDefaultFont(font)
        self.setDocumentMargin(MARGIN_PIXELS)
        self.rootFrame().setFrameFormat(page)  # before there is a layout, which would lay everything out for that
        self.positions = ChapterPositions(chapter.text)
        self._pictures = Pictures(load_picture, self)
        _Writer(self, chapter, self._pictures).write()
        self.documentLayout().registerHandler(PICTURE, self._pictures)  # from now on, each change lays the text out


class _Writer:
    """Writes a chapter into a document, paragraph by paragraph."""

    def __init__(self, document: ChapterDocument, chapter: Chapter, pictures: Pictures) -> None:
        self._text = chapter.text
        self._kept = _as_kept(chapter.text)
        self._positions = document.positions
        self._em = document.defaultFont().pixelSize()
        self._cursor = QTextCursor(document)
        self._started = False
        self._styles = _InOrder(_with_title(chapter))
        self._pictures = deque(sorted(chapter.pictures, key=lambda picture: picture.start))
        self._format_of = pictures.format_of

    def write(self) -> None:
        self._cursor.beginEditBlock()
        for paragraph in _PARAGRAPH.finditer(self._text):
            self._write_paragraph(*paragraph.span())
        for picture in self._pictures:
            self._write_picture(picture, self._format_of(picture))
        self._cursor.endEditBlock()

    def _write_paragraph(self, start: int, end: int) -> None:
        inline: list[tuple[int, QTextCharFormat]] = []
        while self._pictures and self._pictures[0].start < end:
            picture = self._pictures.popleft()
            picture_format = self._format_of(picture)
            if (
                picture_format is not None
                and picture.start > start
                and height_of(picture_format) <= INLINE_PICTURE_EM * self._em
            ):
                inline.append((picture.start, picture_format))
            else:
                self._write_picture(picture, picture_format)
        styles = self._styles.overlapping(start, end)
        level = max((style.level or 1 for style in styles if style.text_style is TextStyle.HEADING), default=0)
        quoted = any(style.text_style is TextStyle.QUOTE for style in styles)
        self._begin_block(_heading(self._em, level, first=not self._started) if level else _prose(self._em, quoted))
        for place, picture_format in inline:
            self._write_runs(start, place, styles, level)
            self._cursor.insertText(STAND_IN, picture_format)
            start = place
        self._write_runs(start, end, styles, level)

    def _write_runs(self, start: int, end: int, styles: Sequence[Styled], level: int) -> None:
        """Write text in runs of uniform style."""
        self._positions.add(start, end, self._cursor.position())
        cuts = {start, end, *(cut for style in styles for cut in (style.start, style.end) if start < cut < end)}
        for first, last in pairwise(sorted(cuts)):
            text_styles = frozenset(style.text_style for style in styles if style.start <= first and style.end >= last)
            self._cursor.insertText(self._kept[first:last], _characters(text_styles, level))

    def _write_picture(self, picture: Picture, picture_format: QTextCharFormat | None) -> None:
        block = QTextBlockFormat(_prose(self._em, quoted=False))
        block.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        if picture_format is not None:
            block.setLineHeight(0, _SINGLE)
            block.setBottomMargin(BELOW_PICTURE_EM * self._em)
        self._begin_block(block)
        if picture_format is not None:
            self._cursor.insertText(STAND_IN, picture_format)
        else:
            words = _as_kept(description_of(picture.description))
            self._cursor.insertText(words, _characters(frozenset({TextStyle.EMPHASIS}), 0))

    def _begin_block(self, block: QTextBlockFormat) -> None:
        if self._started:
            self._cursor.insertBlock(block, QTextCharFormat())
        else:
            self._cursor.setBlockFormat(block)
            self._started = True


class _InOrder:
    """Finds the styles of paragraphs that are requested in the order of the text."""

    def __init__(self, styles: Sequence[Styled]) -> None:
        self._waiting = deque(sorted(styles, key=lambda style: style.start))
        self._begun: list[Styled] = []

    def overlapping(self, start: int, end: int) -> list[Styled]:
        """Return the styles of any of the characters `start` to `end`."""
        while self._waiting and self._waiting[0].start < end:
            self._begun.append(self._waiting.popleft())
        self._begun = [style for style in self._begun if style.end > start]
        return self._begun


def _with_title(chapter: Chapter) -> tuple[Styled, ...]:
    """Return the styles of a chapter; a first paragraph equal to its title is a heading, even if its file has none."""
    first, words = _PARAGRAPH.search(chapter.text), chapter.title.casefold().split()
    if first is None or not words or first[0].casefold().split() != words:
        return chapter.styles
    known = any(style.text_style is TextStyle.HEADING and style.start < first.end() for style in chapter.styles)
    return chapter.styles if known else (Styled(*first.span(), TextStyle.HEADING, 1), *chapter.styles)


@cache
def _prose(em: int, quoted: bool) -> QTextBlockFormat:
    block = QTextBlockFormat()
    block.setLineHeight(LINE_PERCENT, _PROPORTIONAL)
    block.setBottomMargin(BETWEEN_PARAGRAPHS_EM * em)
    if quoted:
        block.setLeftMargin(QUOTE_INDENT_EM * em)
        block.setRightMargin(QUOTE_INDENT_EM * em)
    return block


@cache
def _heading(em: int, level: int, first: bool) -> QTextBlockFormat:
    block = QTextBlockFormat()
    block.setHeadingLevel(level)  # for screen readers
    block.setLineHeight(HEADING_LINE_PERCENT, _PROPORTIONAL)
    block.setTopMargin(0 if first else ABOVE_HEADING_EM * em)
    block.setBottomMargin(BELOW_HEADING_EM * em)
    return block


@cache
def _characters(text_styles: frozenset[TextStyle], level: int) -> QTextCharFormat:
    characters = QTextCharFormat()
    if level:
        larger = LARGER_BY_LEVEL.get(level, 0)
        characters.setProperty(QTextFormat.Property.FontSizeAdjustment, larger)
    if level or TextStyle.STRONG in text_styles:
        characters.setFontWeight(QFont.Weight.Bold)
    if TextStyle.EMPHASIS in text_styles:
        characters.setFontItalic(True)
    return characters


def _as_kept(text: str) -> str:
    """Return a text of the same length with only characters that a document preserves."""
    return _NOT_KEPT.sub(lambda found: _KEPT_AS.get(found[0], "\ufffd"), text)
