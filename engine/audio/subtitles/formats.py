"""Subtitle files: SRT, WebVTT, ASS with word-by-word highlighting, and JSON with all times.

Captions have at most two lines, stay long enough to be read, and break at the ends of clauses.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from engine.audio.subtitles.timed_words import TimedWord, WordEnd
from engine.errors import OutputError
from engine.system.atomic_write import atomic_write, ensure_writable

LINE_CHARACTERS = 42
MIN_SECONDS = 1.0
MAX_SECONDS = 7.0
SILENCE_SECONDS = 0.7
"""The minimum silence between two words that should separate captions."""
_BREAK_COST = {WordEnd.WORD: 2.0, WordEnd.CLAUSE: 0.5, WordEnd.SENTENCE: 0.0, WordEnd.PARAGRAPH: 0.0}
_INNER_COST = {WordEnd.WORD: 0.0, WordEnd.CLAUSE: 0.0, WordEnd.SENTENCE: 0.3, WordEnd.PARAGRAPH: 3.0}
_SILENCE_COST = 3.0
_SHORT_COST = 6.0
_CLAUSE_BONUS_CHARACTERS = 10
"""The difference in line length that is accepted for a break at the end of a clause."""
ASS_HEAD = """[Script Info]
ScriptType: v4.00+
WrapStyle: 2
PlayResX: 1280
PlayResY: 720

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, \
StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,44,&H0000FFFF,&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,1,2,40,40,40,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""
"""The head of an ASS file; words are white until they are spoken, then yellow."""
ASS_ESCAPES = str.maketrans({"{": "(", "}": ")", "\\": "\u2216"})
"""Substitutes for braces and backslashes, which start commands and cannot be escaped."""
SRT_MARKUP = re.compile(r"<(?=/?[A-Za-z])|\{(?=\\)")
"""The text that players treat as the start of markup; it cannot be escaped, so a zero-width joiner keeps it as text."""
JOINER = "\u2060"
VTT_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@dataclass(frozen=True)
class Caption:
    """Words shown together for a time in seconds, the first `first_line` of them in the first line."""

    words: tuple[TimedWord, ...]
    first_line: int
    start_seconds: float
    end_seconds: float

    @property
    def lines(self) -> tuple[str, ...]:
        """The text; a single word is split if it is too long for a line, and shortened if it is too long for two."""
        lines = [_text(part) for part in (self.words[: self.first_line], self.words[self.first_line :]) if part]
        if len(self.words) > 1 or len(lines[0]) <= LINE_CHARACTERS:
            return tuple(lines)
        rest = lines[0][LINE_CHARACTERS:]
        return lines[0][:LINE_CHARACTERS], rest if len(rest) <= LINE_CHARACTERS else f"{rest[: LINE_CHARACTERS - 1]}…"


def captions_of(words: Sequence[TimedWord]) -> tuple[Caption, ...]:
    """Return the captions with the lowest total cost, by a search over all ways to split the words."""
    cuts = _Cuts(words)
    costs, starts = [0.0], [0]
    for end in range(1, len(words) + 1):
        cost, start = min((costs[start] + cuts.cost(start, end), start) for start in cuts.possible_starts(end))
        costs.append(cost)
        starts.append(start)
    borders = [len(words)]
    while borders[-1]:
        borders.append(starts[borders[-1]])
    return tuple(cuts.caption(start, end) for start, end in pairwise(reversed(borders)))


class _Cuts:
    """Candidate captions; one contains the words from `start` to before `end`."""

    def __init__(self, words: Sequence[TimedWord]) -> None:
        self._words = words
        self._places = list(accumulate((len(word.shown) + word.space for word in words), initial=0))

    def possible_starts(self, end: int) -> Iterator[int]:
        """Yield the possible starts of a caption with this end: the last word, and earlier ones as long as all fits."""
        yield end - 1
        for start in range(end - 2, -1, -1):
            seconds = self._words[end - 1].end_seconds - self._words[start].start_seconds
            if seconds > MAX_SECONDS or not self._fits(start, end):
                return
            yield start

    def cost(self, start: int, end: int) -> float:
        """Return the cost of a caption: its existence, its end, breaks that it spans, and too short a time."""
        words = self._words
        inside = sum(_INNER_COST[words[at - 1].ends] + _SILENCE_COST * self._silent(at) for at in range(start + 1, end))
        broken = 0.0 if end == len(words) or self._silent(end) else _BREAK_COST[words[end - 1].ends]
        shown = self._latest_end(end) - words[start].start_seconds
        return 1.0 + broken + inside + _SHORT_COST * max(0.0, 1.0 - shown / MIN_SECONDS)

    def caption(self, start: int, end: int) -> Caption:
        """Return the caption, shown for at least `MIN_SECONDS` if the next one leaves time for it."""
        words = tuple(self._words[start:end])
        begin = words[0].start_seconds
        until = max(words[-1].end_seconds, min(begin + MIN_SECONDS, self._latest_end(end)))
        return Caption(words, self._first_line(start, end), begin, until)

    def _fits(self, start: int, end: int) -> bool:
        if self._width(start, end) > 2 * LINE_CHARACTERS + 1:
            return False
        return self._width(start, end) <= LINE_CHARACTERS or any(self._middles(start, end))

    def _first_line(self, start: int, end: int) -> int:
        """Return the number of words in the first line: all if they fit; otherwise, the lines are balanced."""
        if self._width(start, end) <= LINE_CHARACTERS or end - start == 1:
            return end - start

        def unlike(middle: int) -> int:
            bonus = _CLAUSE_BONUS_CHARACTERS * (self._words[middle - 1].ends > WordEnd.WORD)
            return abs(self._width(start, middle) - self._width(middle, end)) - bonus

        return min(self._middles(start, end), key=unlike) - start

    def _middles(self, start: int, end: int) -> Iterator[int]:
        """Yield the positions where the words can be split into two lines that fit."""
        for middle in range(start + 1, end):
            if self._width(start, middle) > LINE_CHARACTERS:
                return
            if self._width(middle, end) <= LINE_CHARACTERS:
                yield middle

    def _width(self, start: int, end: int) -> int:
        return self._places[end] - self._places[start] - self._words[end - 1].space

    def _silent(self, at: int) -> bool:
        """Return whether a long silence precedes this word."""
        return self._words[at].start_seconds - self._words[at - 1].end_seconds >= SILENCE_SECONDS

    def _latest_end(self, end: int) -> float:
        return self._words[end].start_seconds if end < len(self._words) else math.inf


def _text(words: Sequence[TimedWord]) -> str:
    return "".join(word.shown + " " * word.space for word in words).rstrip()


def check_subtitles(path: Path) -> None:
    """Raise `OutputError` for an unsupported suffix, or a place that is not writable."""
    if path.suffix.lower() not in FORMATS:
        what = f"Subtitles can’t be saved as {path.suffix}" if path.suffix else f"{path.name} has no suffix"
        choices = f"{', '.join(list(FORMATS)[:-1])} or {list(FORMATS)[-1]}"
        raise OutputError(f"{what}.", f"Use a file name that ends in {choices}.")
    ensure_writable(path)


def write_subtitles(path: Path, words: Sequence[TimedWord]) -> None:
    """Write the words atomically in the format of the suffix. Raises `OutputError`."""
    check_subtitles(path)
    with atomic_write(path) as file:
        file.write(FORMATS[path.suffix.lower()](words).encode())


def srt(words: Sequence[TimedWord]) -> str:
    """Format as SubRip: numbered captions."""
    return "\n".join(
        f"{number}\n{_clock(caption.start_seconds, ',')} --> {_clock(caption.end_seconds, ',')}\n"
        f"{SRT_MARKUP.sub(_joined, _lines(caption))}\n"
        for number, caption in enumerate(captions_of(words), 1)
    )


def vtt(words: Sequence[TimedWord]) -> str:
    """Format as WebVTT, for web pages."""
    cues = (
        f"{_clock(caption.start_seconds, '.')} --> {_clock(caption.end_seconds, '.')}\n"
        f"{_lines(caption).translate(VTT_ESCAPES)}\n"
        for caption in captions_of(words)
    )
    return "\n".join(["WEBVTT\n", *cues])


def ass(words: Sequence[TimedWord]) -> str:
    """Format as Advanced SubStation Alpha, which highlights each word when it is spoken."""
    events = (
        f"Dialogue: 0,{_ass_clock(_hundredths(caption.start_seconds))},{_ass_clock(_hundredths(caption.end_seconds))},"
        f"Default,,0,0,0,,{_karaoke(caption)}\n"
        for caption in captions_of(words)
    )
    return ASS_HEAD + "".join(events)


def json_text(words: Sequence[TimedWord]) -> str:
    """Format all words with their characters, times and phonemes, and the captions, as JSON."""
    captions = [
        {"start_seconds": caption.start_seconds, "end_seconds": caption.end_seconds, "lines": caption.lines}
        for caption in captions_of(words)
    ]
    plain = [
        {"text": word.text, "start": word.start, "end": word.end}
        | {"start_seconds": word.start_seconds, "end_seconds": word.end_seconds}
        | {"phonemes": [asdict(phoneme) for phoneme in word.phonemes]}
        for word in words
    ]
    return json.dumps({"words": plain, "captions": captions}, ensure_ascii=False, indent=1)


FORMATS: dict[str, Callable[[Sequence[TimedWord]], str]] = {".srt": srt, ".vtt": vtt, ".ass": ass, ".json": json_text}
"""The formats by suffix."""


def _joined(markup: re.Match[str]) -> str:
    return markup[0] + JOINER


def _lines(caption: Caption) -> str:
    return "\n".join(caption.lines)


def _karaoke(caption: Caption) -> str:
    """Return the words, each with the time until the next one in hundredths of a second, whose sum is exact."""
    starts = [_hundredths(word.start_seconds) for word in caption.words]
    ends = [*starts[1:], _hundredths(caption.end_seconds)]
    parts = []
    for index, (word, start, end) in enumerate(zip(caption.words, starts, ends, strict=True)):
        line_break = r"\N" if index == caption.first_line else ""
        space = " " if word.space and index + 1 not in (caption.first_line, len(caption.words)) else ""
        parts.append(f"{line_break}{{\\k{end - start}}}{word.shown.translate(ASS_ESCAPES)}{space}")
    return "".join(parts)


def _hundredths(seconds: float) -> int:
    return round(100 * seconds)


def _ass_clock(hundredths: int) -> str:
    seconds, rest = divmod(hundredths, 100)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:02}"


def _clock(seconds: float, point: str) -> str:
    whole, thousandths = divmod(round(1000 * seconds), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{point}{thousandths:03}"
