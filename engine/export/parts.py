"""A chapter in parts that are made one by one: what is lost by an interruption is never more than one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.export.order import PART_CHARACTERS
from engine.g2p.split import PAUSE_SECONDS, Border

_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[”’\"')\]]*\s+")
_SPACE = re.compile(r"\s+")
_BORDERS = ((_PARAGRAPH, Border.PARAGRAPH), (_SENTENCE, Border.SENTENCE), (_SPACE, Border.WORD))


@dataclass(frozen=True)
class Part:
    """The characters of a chapter from `start`, and the silence before the next part."""

    text: str
    start: int
    pause_seconds: float


def parts_of(text: str) -> Iterator[Part]:
    """The parts of a chapter, cut between paragraphs, or else sentences, or else words; no pause follows the last."""
    start = 0
    while start < len(text):
        end, following, border = _cut(text, start)
        pause_seconds = 0.0 if following == len(text) else PAUSE_SECONDS[border]
        yield Part(text[start:end], start, pause_seconds)
        start = following


def _cut(text: str, start: int) -> tuple[int, int, Border]:
    """Where a part ends, where the next one begins, and what is between them."""
    limit = start + PART_CHARACTERS
    if limit >= len(text):
        return len(text), len(text), Border.PARAGRAPH
    for pattern, border in _BORDERS:
        gaps = list(pattern.finditer(text, start + 1, limit))
        if gaps:
            return _end(gaps[-1], border), gaps[-1].end(), border
    return limit, limit, Border.WORD


def _end(gap: re.Match[str], border: Border) -> int:
    """The closing quotes after a sentence belong to it."""
    return gap.start() + len(gap.group().rstrip()) if border is Border.SENTENCE else gap.start()
