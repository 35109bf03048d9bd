"""Sorts the pieces of pages: attaches notes to the text that refers to them, and marks contents and licenses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from engine.text.documents.blocks import Block
from engine.text.documents.document import Matter
from engine.text.documents.html_blocks import PageBlock
from engine.text.documents.matter import begins_license, begins_text, ends_text, matter_of_title, names_producer

_FEWEST_LINES, _FEWEST_LINES_IN_TEXT = 3, 7
"""The fewest links in a row that are a list of contents; fewer may be anything, such as choices in a game."""
_MAX_TITLE_TEXT = 80
_MAX_TITLE_PAGE = 2_000
"""The most characters before a list of contents that count as a title page."""
_MAX_TITLE, _MAX_TITLE_LINE = 400, 120
"""The most characters of a title page in a book, and of a line of it."""
_IMPRINT = re.compile(r"©|\(c\) ?\d{4}|\bISBN\b|all rights reserved|copyright \d{4}", re.IGNORECASE)
_LABEL = re.compile(r"\A(?:[\[(](?:\d{1,3}|[a-z*†‡§¶])[\])]|\d{1,3}[.)\]:](?=\s)|[*†‡§¶]{1,3})?[.:)\]]?\s*")
"""The label at the beginning of a note."""


def sorted_blocks(pages: Sequence[Sequence[PageBlock]], *, in_book: bool = False) -> list[list[Block]]:
    """Return the blocks of each page, with the notes that each refers to."""
    notes: dict[str, list[str]] = {}
    if not in_book:
        pages = [_licensed(page) for page in pages]
    for page in pages:
        for piece in page:
            if piece.note:
                notes.setdefault(piece.note, []).append(piece.block.text)
    told = {key: _LABEL.sub("", "\n".join(texts)) for key, texts in notes.items()}
    known = frozenset(key for page in pages for piece in page for key in piece.refers_to)
    return [_blocks(_with_contents(page, in_book=in_book), told, known) for page in pages]


def is_front_page(blocks: Sequence[Block], title: str) -> bool:
    """Return whether the text of a page of a book is that of a title page or an imprint."""
    texts = [block.text for block in blocks if block.text]
    whole = " ".join(texts)
    if not texts or len(whole) > _MAX_TITLE_PAGE:
        return False
    if _IMPRINT.search(whole):
        return True
    short = len(whole) <= _MAX_TITLE and max(map(len, texts)) <= _MAX_TITLE_LINE
    titles = {_letters(title), _letters(title.partition(":")[0])} - {""}
    return short and any(_letters(text) in titles for text in texts)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def with_license(blocks: Sequence[Block]) -> list[Block]:
    """Mark the blocks of a license around a text as front and back matter."""
    begins = next((index for index, block in enumerate(blocks) if begins_text(block.text)), None)
    ends = next((index for index, block in enumerate(blocks) if ends_text(block.text)), None)
    marked = list(blocks)
    if begins is not None and (ends is None or begins < ends):
        while begins + 1 < len(blocks) and names_producer(blocks[begins + 1].text):
            begins += 1
        for index in range(begins + 1):
            marked[index] = replace(marked[index].as_paragraph(), matter=Matter.FRONT)
    if ends is not None:
        while ends and begins_license(blocks[ends - 1].text):
            ends -= 1
        for index in range(ends, len(blocks)):
            marked[index] = replace(marked[index].as_paragraph(), matter=Matter.BACK)
    return marked


def _licensed(page: Sequence[PageBlock]) -> list[PageBlock]:
    blocks = with_license([piece.block for piece in page])
    return [
        piece if block is piece.block else replace(piece, block=block)
        for piece, block in zip(page, blocks, strict=True)
    ]


def _with_contents(page: Sequence[PageBlock], *, in_book: bool) -> list[PageBlock]:
    """Mark lists of contents, and the title page before the first one, as front matter."""
    marked = list(page)
    prose = next((index for index in range(len(page)) if _is_prose(page[index])), len(page))
    runs = [
        run
        for run in _link_runs(page)
        if len(run) >= (_FEWEST_LINES if run.start <= prose else _FEWEST_LINES_IN_TEXT) or _is_titled(page, run.start)
    ]
    for run in runs:
        start = run.start - _is_titled(page, run.start)
        for index in range(start, run.stop):
            marked[index] = _as_front(marked[index])
    if runs and not in_book:
        before = page[: runs[0].start]
        if sum(len(piece.block.text) for piece in before if piece.block.matter is Matter.TEXT) <= _MAX_TITLE_PAGE:
            headings = [piece for piece in page[runs[0].stop :] if piece.block.level]
            if headings and not any(map(_is_prose, before)):
                marked[: len(before)] = map(_as_front, before)
    return marked


def _is_prose(piece: PageBlock) -> bool:
    """Return whether a piece is longer than a title or a name."""
    block = piece.block
    return not block.level and not piece.is_link and block.matter is Matter.TEXT and len(block.text) > _MAX_TITLE_TEXT


def _link_runs(page: Sequence[PageBlock]) -> Iterator[range]:
    """Yield the ranges of consecutive pieces that only link."""
    index = 0
    for is_link, group in groupby(page, key=lambda piece: piece.is_link and not piece.block.level):
        length = len(list(group))
        if is_link:
            yield range(index, index + length)
        index += length


def _is_titled(page: Sequence[PageBlock], start: int) -> bool:
    return start > 0 and matter_of_title(page[start - 1].block.text) is Matter.FRONT


def _as_front(piece: PageBlock) -> PageBlock:
    matter = piece.block.matter if piece.block.matter is not Matter.TEXT else Matter.FRONT
    return replace(piece, block=replace(piece.block, matter=matter))


def _blocks(page: Sequence[PageBlock], told: dict[str, str], known: frozenset[str]) -> list[Block]:
    """Return the blocks of a page; notes between or after its text move to the blocks that refer to them."""
    if any(piece.note is not None for piece in page) and all(
        piece.note is not None or piece.block.level for piece in page
    ):
        page = [replace(piece, note=piece.note or "") for piece in page]
    blocks: list[Block] = []
    lost: frozenset[str] = frozenset()
    for is_note, run in _runs(page):
        if is_note and blocks and not any(piece.block.level for piece in run):
            unknown = tuple(_LABEL.sub("", piece.block.text) for piece in run if piece.note not in known)
            lost |= frozenset(anchor for piece in run for anchor in piece.block.anchors)
            blocks[-1] = replace(blocks[-1], notes=blocks[-1].notes + unknown)
            continue
        for piece in run:
            block = piece.block
            if is_note:
                block = replace(block.with_text(block.text.lstrip(".:)] ")), matter=Matter.BACK)
            notes = tuple(told[key] for key in dict.fromkeys(piece.refers_to) if key in told and not is_note)
            if notes or lost:
                block = replace(block, notes=block.notes + notes, anchors=block.anchors | lost)
                lost = frozenset()
            blocks.append(block)
    return blocks


def _runs(page: Sequence[PageBlock]) -> Iterator[tuple[bool, list[PageBlock]]]:
    """Yield runs of notes and of other pieces; a heading followed only by notes belongs to them."""
    runs = [(is_note, list(group)) for is_note, group in groupby(page, key=lambda piece: piece.note is not None)]
    for number, (is_note, run) in enumerate(runs):
        follows = runs[number + 1] if number + 1 < len(runs) else None
        behind = runs[number + 2][1][0] if number + 2 < len(runs) else None
        if not is_note and follows and run[-1].block.level and (behind is None or behind.block.level):
            yield False, run[:-1]
            follows[1].insert(0, run[-1])
        else:
            yield is_note, run
