"""Reads plain text: lines that were wrapped are joined, lines that look like headings begin chapters."""

from __future__ import annotations

import re
from pathlib import Path

from engine.documents.blocks import Block, chapters_of
from engine.documents.decoding import decoded
from engine.documents.document import Document
from engine.documents.prose import LineJoiner, clean

WRAPPED_CHARACTERS = range(45, 101)
"""The length of lines that were wrapped, not ended: shorter ones may be verse, longer ones paragraphs."""
HEADING_CHARACTERS = 80
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_ONES = "one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_NUMBER = (
    rf"(?:\d{{1,3}}|[ivxlc]+|(?:twenty|thirty|forty|fifty)(?:[- ](?:{_ONES}))?|{_ONES}"
    r"|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|tenth)"
)
_HEADING = re.compile(
    rf"(?:(?:chapter|part|book|act|canto|letter|chapitre|capítulo|capitulo|capitolo|kapitel)\s+{_NUMBER}\b"
    r"|prologue|epilogue|preface|foreword|introduction|afterword|appendix|prólogo|epílogo|prefazione|épilogue)"
    r"(?:[.:—–-].*)?",
    re.IGNORECASE,
)


def read(path: Path) -> Document:
    """The document in a text file; raises `DamagedDocument` if it is not text."""
    source = decoded(path.read_bytes(), path.name)
    blocks = blocks_of(source.text)
    return Document(path.stem, "", "", chapters_of(blocks, path.stem), notices=source.notices)


def blocks_of(text: str) -> list[Block]:
    """The paragraphs, which blank lines divide, and the headings among them."""
    joiner = LineJoiner(text)
    paragraphs = (paragraph.strip("\n") for paragraph in _BLANK_LINES.split(text))
    return [_block(paragraph, joiner) for paragraph in paragraphs if paragraph.strip()]


def _block(paragraph: str, joiner: LineJoiner) -> Block:
    lines = paragraph.split("\n")
    wrapped = len(lines) > 1 and all(len(line.strip()) in WRAPPED_CHARACTERS for line in lines[:-1])
    text = clean(joiner.joined(lines) if wrapped else paragraph)
    is_heading = len(text) <= HEADING_CHARACTERS and _HEADING.fullmatch(text.replace("\n", ": ")) is not None
    return Block(text, int(is_heading))
