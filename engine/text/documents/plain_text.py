"""Reads plain text: joins wrapped lines, begins chapters at headings, and separates front and back matter."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from engine.text.documents.blocks import Block, chapters_of, moved
from engine.text.documents.chapter_series import FULL_LINE_CHARACTERS, Outline, outline_of
from engine.text.documents.decoding import decoded
from engine.text.documents.document import Document, Matter, Styled, TextStyle
from engine.text.documents.heading_lines import HeadingKind, heading_line
from engine.text.documents.matter import framed, heading_of_file, is_about_making
from engine.text.documents.prose import LineJoiner, clean

_BRACKETED = re.compile(
    r"\[(?P<kind>Illustrations?|Footnote|Transcriber[’']?s['’]? Notes?|Sidenote|Music(?:al notation)?|Blank page)\b",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[\[\]]")
_INSIDE = re.compile(r"[:.]?\s*")
_NOTE_LABEL = re.compile(r"\s*(?P<label>[\w*†‡]{1,5})\s*:\s*|\s*:\s*")
_PAGE = re.compile(r"[\[{] ?(?:pg|page|p)\.? ?(?:\d{1,4}|[ivxlc]{1,7}) ?[\]}]|\{\d{1,4}\}", re.IGNORECASE)
_PARAGRAPH = re.compile(
    r"(?:^|(?<=\n\n))[ \t]*(?:\[(?P<label>\d{1,3}|[A-Z]|[*†‡]{1,3})\][ \t]+(?P<note>\S.*?)"
    r"|(?P<by>Transcriber[’']?s['’]? Notes?)[:.][ \t\n]*(?P<remark>\S.*?))(?=\n[ \t]*\n|\s*\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""A note below the text with only its mark in brackets, or a transcriber's remark."""
_MARK_IN_TEXT = re.compile(r"(?<=\S)\[(\d{1,3}|[A-Z]|[*†‡]{1,3})\]")
_MARK = re.compile(r"[ ]?\[(?P<label>[\w*†‡]{1,5})\]")
_EMPHASIS = re.compile(
    r"(?<![\w_])_(?=[^\s_])([^_]{1,2000}?)(?<=[^\s_])_(?![\w_])|(?<![\w=])=(?=[^\s=])([^=\n]{1,200}?)(?<=[^\s=])=(?![\w=])"
)
_MAX_BRACKET = 50_000
WRAPPED_CHARACTERS = range(45, 101)
"""The lengths of wrapped lines; shorter ones may be verse, longer ones whole paragraphs."""
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_ENDS_SENTENCE = re.compile(r"[.!?…:。！？；」』][\"'”’»)\]」』]*$")
_DECORATION = re.compile(r"^[#*~=|\[<>–—-]+\s+|\s+[#*~=|\]<>–—-]+$")
_PROSE_CHARACTERS = 80
_BREAK = re.compile(
    r"(?=.*\S)(?:[^\w.?!…\"'“”‘’«»]|_){1,80}|[\s~*=·.•–—-]*(?:[oO0]\s*){3}[\s~*=·.•–—-]*|[\s~*=·.•–—-]*(?:[xX]\s*){3}",
    re.DOTALL,
)
"""A line of signs between scenes."""
_DEFAULT_BREAK = "* * *"


@dataclass(frozen=True)
class TextNote:
    """A note and its original place in the text."""

    place: int
    text: str


@dataclass(frozen=True)
class Bare:
    """A text without bracketed notes and remarks.

    `captions` are the places of captions of pictures, `emphasis` the emphasized spans, in order; notes are listed by
    label, in the order of their places.
    """

    text: str
    captions: frozenset[int]
    transcriber: tuple[str, ...]
    notes: dict[str, list[TextNote]] = field(repr=False)
    emphasis: tuple[Styled, ...] = field(default=(), repr=False)

    @property
    def all_notes(self) -> Iterator[TextNote]:
        """All notes, those of a label together."""
        return (note for found in self.notes.values() for note in found)

    def note(self, label: str, place: int) -> TextNote:
        """Return the note of this label after a place, or the last one before."""
        found = self.notes[label]
        after = bisect_right(found, place, key=lambda note: note.place)
        return found[min(after, len(found) - 1)]


def bare(text: str) -> Bare:
    """Remove page marks and emphasis marks, replace pictures by their captions, and separate notes."""
    kept: list[str] = []
    length = 0
    captions: set[int] = set()
    transcriber: list[str] = []
    notes: dict[str, list[TextNote]] = defaultdict(list)
    emphasis: list[Styled] = []
    for kind, content in _pieces(_bracketed(_PAGE.sub("", text))):
        if kind == "footnote" and (label := _NOTE_LABEL.match(content)):
            notes[label["label"] or "*"].append(TextNote(length, _plain(content[label.end() :])))
            continue
        if kind.startswith("transcriber"):
            transcriber.append(_plain(content))
            continue
        if kind.startswith("ill"):
            captions.add(length)
        said = _plain(content, emphasis, length) if not kind or kind.startswith(("ill", "side")) else ""
        kept.append(said)
        length += len(said)
    return Bare("".join(kept), frozenset(captions), tuple(transcriber), dict(notes), tuple(emphasis))


def with_notes(text: str, place: int, source: Bare) -> tuple[str, list[TextNote]]:
    """Remove the note marks from a paragraph at a place of the text; return it and its notes."""
    found: list[TextNote] = []

    def taken(mark: re.Match[str]) -> str:
        if mark["label"] not in source.notes:
            return mark[0]
        found.append(source.note(mark["label"], place))
        return ""

    return _MARK.sub(taken, text), found


def _bracketed(text: str) -> str:
    """Put notes and remarks that are paragraphs into brackets of their kind."""
    marked = set(_MARK_IN_TEXT.findall(text))

    def replaced(paragraph: re.Match[str]) -> str:
        content = paragraph["note"] or paragraph["remark"]
        if content.count("[") != content.count("]") or not (paragraph["by"] or paragraph["label"] in marked):
            return paragraph[0]
        return f"[{paragraph['by']}: {content}]" if paragraph["by"] else f"[Footnote {paragraph['label']}: {content}]"

    return _PARAGRAPH.sub(replaced, text)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text in order: plain ones with an empty kind, and contents of brackets with their kind."""
    closed = _brackets(text)
    done = 0
    for match in _BRACKETED.finditer(text):
        end = closed.get(match.start())
        if match.start() < done or end is None or end - match.start() > _MAX_BRACKET:
            continue
        yield "", text[done : match.start()]
        inside = text[match.end() : end]
        kind = match["kind"].casefold()
        yield kind, inside if kind == "footnote" else inside[_INSIDE.match(inside).end() :]  # type: ignore[union-attr]
        done = end + 1
    yield "", text[done:]


def _brackets(text: str) -> dict[int, int]:
    """Return the place of each closing bracket by that of its opening one."""
    opened: list[int] = []
    closed = {}
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            opened.append(match.start())
        elif opened:
            closed[opened.pop()] = match.start()
    return closed


def _plain(text: str, emphasis: list[Styled] | None = None, place: int = 0) -> str:
    """Remove emphasis marks; the spans are added to `emphasis`, for a text that begins at `place`."""
    marks = 0

    def seen(match: re.Match[str]) -> str:
        nonlocal marks
        said = match[1] or match[2]
        if emphasis is not None:
            start = place + match.start() - marks
            emphasis.append(Styled(start, start + len(said), TextStyle.EMPHASIS if match[1] else TextStyle.STRONG))
        marks += len(match[0]) - len(said)
        return said

    return _EMPHASIS.sub(seen, text)


def read(path: Path) -> Document:
    """Read a text file; raises `DamagedDocument` if it is not text."""
    source = decoded(path.read_bytes(), path.name)
    header = framed(source.text).before
    title = heading_of_file(header, "Title") or path.stem
    chapters = chapters_of(blocks_of(source.text), title)
    return Document(title, heading_of_file(header, "Author"), "", chapters, notices=source.notices)


def blocks_of(text: str) -> list[Block]:
    """Return the paragraphs, divided by blank lines or indents, and the headings among them."""
    frame = framed(text)
    source = bare(frame.text)
    joiner = LineJoiner(text)
    paragraphs = list(_paragraphs(source.text))
    outline = outline_of([each.lines for each in paragraphs])
    blocks = _blocks(paragraphs, outline, source, joiner)
    is_book = bool(frame.before or frame.after or outline.contents)
    body = _with_front(blocks, source.captions) if is_book else (block for _, block in blocks)
    transcriber = [Block(clean(each), matter=Matter.BACK) for each in source.transcriber]
    return [
        *_around(frame.before, Matter.FRONT, joiner),
        *body,
        *transcriber,
        *_around(frame.after, Matter.BACK, joiner),
    ]


@dataclass(frozen=True)
class _Paragraph:
    """Lines of a text from the character `start` on, in a passage between blank lines that begins at `place`."""

    lines: tuple[str, ...]
    place: int
    start: int


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """Yield the paragraphs of a text, without blank ones."""
    place = 0
    for gap in (*_BLANK_LINES.finditer(text), None):
        chunk = text[place : gap.start() if gap else len(text)]
        lines = [line for line in chunk.split("\n") if line.strip()]
        start = place + (chunk.index(lines[0]) if lines else 0)
        for part in _parts(lines):
            yield _Paragraph(tuple(part), place, start)
            start += sum(len(line) + 1 for line in part)
        place = gap.end() if gap else place


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """Divide lines without blank lines into paragraphs: at indents, headings, or after each line if all are long."""
    indents = _indented_parts(lines)
    part: list[str] = []
    for number, line in enumerate(lines):
        begins = number in indents or _stands_alone(lines, number) or (number and _stands_alone(lines, number - 1))
        if part and (begins or (len(part[-1]) >= WRAPPED_CHARACTERS.stop and _ends_sentence(part[-1]))):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _indented_parts(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines that begin a paragraph by their indent; none if the text is not prose."""
    found = [number for number, line in enumerate(lines) if line[0].isspace()]
    fitting = [
        number for number in found if number and (_ends_sentence(lines[number - 1]) or heading_line(lines[number - 1]))
    ]
    if not fitting or (len(found) - len(fitting) > (found[0] == 0)):
        return frozenset()
    borders = [0, *fitting, len(lines)]
    parts = [lines[start:end] for start, end in pairwise(borders)]
    every_line = all(line[0].isspace() or heading_line(line) for line in lines)
    return frozenset(fitting) if every_line or any(map(_is_wrapped, parts)) else frozenset()


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Return whether a line without blank lines around it is a heading: it has a keyword, and no sentence continues.

    A full line that ends no sentence continues in the next one.
    """
    heading = heading_line(lines[number])
    if heading is None or heading.kind is HeadingKind.NUMBER or heading.number is None:
        return False
    before, after = lines[max(number - 1, 0) : number], lines[number + 1 : number + 2]
    is_list = any(heading_line(line) for line in (*before, *after))
    if len(lines[number].strip()) >= FULL_LINE_CHARACTERS and not _ends_sentence(lines[number]):
        return False
    begins = not before or _ends_sentence(before[0])
    is_text = not after or (_ends_sentence(after[0]) or len(after[0]) > _PROSE_CHARACTERS or after[0][0].isspace())
    return begins and is_text and not is_list


def _is_wrapped(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and all(len(line.strip()) in WRAPPED_CHARACTERS for line in lines[:-1])


def _ends_sentence(line: str) -> bool:
    return _ENDS_SENTENCE.search(line.rstrip()) is not None


def _blocks(
    paragraphs: Sequence[_Paragraph], outline: Outline, source: Bare, joiner: LineJoiner
) -> list[tuple[int, Block]]:
    """Return each paragraph as a block, with its place; the title below a heading is joined to it."""
    blocks: list[tuple[int, Block]] = []
    referred: set[TextNote] = set()
    for number, paragraph in enumerate(paragraphs):
        if number in outline.titles:
            continue
        level = outline.levels.get(number, 0)
        text, notes = with_notes(_whole(paragraph.lines, joiner), paragraph.place, source)
        if level:
            below = "\n".join(paragraphs[number + 1].lines) if number + 1 in outline.titles else ""
            text = f"{_DECORATION.sub('', text.strip())}\n{below}"
        elif _BREAK.fullmatch(text):
            text = _DEFAULT_BREAK
        matter = Matter.FRONT if number in outline.contents else Matter.TEXT
        said = clean(text)
        styles = _styles(paragraph, said, source.emphasis)
        blocks.append((paragraph.place, Block(said, level, matter=matter, notes=_texts(notes), styles=styles)))
        referred.update(notes)
    return _with_notes([each for each in blocks if each[1].text], set(source.all_notes) - referred)


def _styles(paragraph: _Paragraph, said: str, emphasis: Sequence[Styled]) -> tuple[Styled, ...]:
    """Return the emphasis in the cleaned text of a paragraph."""
    written = "\n".join(paragraph.lines)
    start, end = paragraph.start, paragraph.start + len(written)
    first = bisect_right(emphasis, start, key=lambda style: style.end)
    last = bisect_left(emphasis, end, key=lambda style: style.start)
    if first >= last:
        return ()
    inside = (
        Styled(max(style.start, start) - start, min(style.end, end) - start, style.text_style)
        for style in emphasis[first:last]
    )
    return moved(inside, written, said)


def _with_notes(blocks: list[tuple[int, Block]], notes: Iterable[TextNote]) -> list[tuple[int, Block]]:
    """Add each note without a mark to the block before it."""
    if not blocks:
        return [(note.place, Block(text)) for note in notes for text in _texts([note])]
    places = [place for place, _ in blocks]
    for note in sorted(notes, key=lambda note: note.place):
        number = max(bisect_right(places, note.place - 1) - 1, 0)
        place, block = blocks[number]
        blocks[number] = place, replace(block, notes=(*block.notes, *_texts([note])))
    return blocks


def _texts(notes: Iterable[TextNote]) -> tuple[str, ...]:
    return tuple(text for note in notes if (text := clean(note.text)))


def _whole(lines: Sequence[str], joiner: LineJoiner) -> str:
    return joiner.joined(lines) if _is_wrapped(lines) else "\n".join(lines)


def _with_front(blocks: Sequence[tuple[int, Block]], captions: frozenset[int]) -> Iterator[Block]:
    """Yield the blocks of a book, with non-prose blocks before the first heading as front matter."""
    shown: list[Block] = []
    waiting = True
    for place, block in blocks:
        is_heading = block.level > 0 and block.matter is Matter.TEXT
        is_prose = (
            len(block.text) > _PROSE_CHARACTERS and _ends_sentence(block.text) and not is_about_making(block.text)
        )
        if waiting and place in captions and not is_heading:
            shown.append(block)
        elif waiting and not is_heading and (block.matter is Matter.FRONT or not is_prose):
            yield replace(block, matter=Matter.FRONT)
        else:
            yield from (block, *shown) if is_heading else (*shown, block)
            waiting, shown = False, []
    yield from shown


def _around(text: str, matter: Matter, joiner: LineJoiner) -> list[Block]:
    """Return the blocks of the text before or after the text of a book."""
    return [Block(clean(_whole(each.lines, joiner)), matter=matter) for each in _paragraphs(text)]
