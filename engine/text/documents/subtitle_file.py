"""Reads SRT and WebVTT subtitles: the spoken text, without numbers and times."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from engine.text.documents.blocks import Block, chapters_of
from engine.text.documents.decoding import decoded
from engine.text.documents.document import Document
from engine.text.documents.prose import clean

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"^(?:[^\n]*\n)??[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\n]*\n?(?P<said>.*)", re.DOTALL)
"""A block with a time in its first or second line; the first may be a number or a name."""
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_MARKUP = re.compile(r"</?(?:[ibuscv]|font|ruby|rt|lang|\d)\b[^<>\n]*>|<[\d:.]+>|\{\\[^{}\n]*\}", re.IGNORECASE)
_SPEAKER_CHANGES = re.compile(r"^[ \t]*[-–—][ \t]*", re.MULTILINE)
_ENDS = re.compile(r"[.!?…。！？♪)\]:]['\"”’»]*$")


def read(path: Path) -> Document:
    """Read a subtitle file; raises `DamagedDocument` if it is not text."""
    source = decoded(path.read_bytes(), path.name)
    blocks = [Block(text) for text in _sentences(source.text)]
    return Document(path.stem, "", "", chapters_of(blocks, path.stem), notices=source.notices)


def _sentences(text: str) -> Iterator[str]:
    """Yield the spoken text: a caption is joined with the next one that continues it; speakers are separate."""
    pending = ""
    for said in _captions(text):
        for number, speech in enumerate(_SPEAKER_CHANGES.split(said)):
            line = clean(" ".join(speech.split()))
            if not line:
                continue
            goes_on = number == 0 and pending and not _ENDS.search(pending)
            if pending and not goes_on:
                yield pending
            pending = f"{pending} {line}" if goes_on else line
    if pending:
        yield pending


def _captions(text: str) -> Iterator[str]:
    """Yield the text of each caption, without markup."""
    for block in _BLANK_LINES.split(text.strip("\ufeff\n")):
        cue = _CUE.match(block)
        if cue:
            yield html.unescape(_MARKUP.sub("", cue["said"]))
