"""Subtitle files: SRT, WebVTT, ASS with each word lit as it is spoken, and JSON with all times."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from engine.errors import OutputError
from engine.subtitles.captions import Caption, captions_of
from engine.subtitles.timed_words import TimedWord
from engine.system.whole_file import ensure_writable, whole_file

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
"""Words are white until they are spoken, then yellow."""
ASS_ESCAPES = str.maketrans({"{": "(", "}": ")", "\\": "\u2216"})
"""Braces and backslashes are commands, which cannot be escaped."""
SRT_MARKUP = re.compile(r"<(?=/?[A-Za-z])|\{(?=\\)")
"""What players take for the beginning of markup, which cannot be escaped: a joiner without width keeps it text."""
JOINER = "\u2060"
VTT_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def check_subtitles(path: Path) -> None:
    """Raise `OutputError` for a suffix that names no format, or a place that cannot be written."""
    if path.suffix.lower() not in FORMATS:
        what = f"Subtitles cannot be written as {path.suffix}" if path.suffix else f"{path.name} has no suffix"
        choices = f"{', '.join(list(FORMATS)[:-1])} or {list(FORMATS)[-1]}"
        raise OutputError(f"{what}.", f"Give the file a name that ends in {choices}.")
    ensure_writable(path)


def write_subtitles(path: Path, words: Sequence[TimedWord]) -> None:
    """Write the words in the format of the suffix, whole or not at all; raises `OutputError`."""
    check_subtitles(path)
    with whole_file(path) as file:
        file.write(FORMATS[path.suffix.lower()](words).encode())


def srt(words: Sequence[TimedWord]) -> str:
    """SubRip: numbered captions."""
    return "\n".join(
        f"{number}\n{_clock(caption.start_seconds, ',')} --> {_clock(caption.end_seconds, ',')}\n"
        f"{SRT_MARKUP.sub(_joined, _lines(caption))}\n"
        for number, caption in enumerate(captions_of(words), 1)
    )


def vtt(words: Sequence[TimedWord]) -> str:
    """WebVTT, as web pages play it."""
    cues = (
        f"{_clock(caption.start_seconds, '.')} --> {_clock(caption.end_seconds, '.')}\n"
        f"{_lines(caption).translate(VTT_ESCAPES)}\n"
        for caption in captions_of(words)
    )
    return "\n".join(["WEBVTT\n", *cues])


def ass(words: Sequence[TimedWord]) -> str:
    """Advanced SubStation Alpha, in which each word is lit when it is spoken."""
    events = (
        f"Dialogue: 0,{_ass_clock(_hundredths(caption.start_seconds))},{_ass_clock(_hundredths(caption.end_seconds))},"
        f"Default,,0,0,0,,{_karaoke(caption)}\n"
        for caption in captions_of(words)
    )
    return ASS_HEAD + "".join(events)


def json_text(words: Sequence[TimedWord]) -> str:
    """All words with their characters, times and phonemes, and the captions."""
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
    """The words, each with the time until the next one, in hundredths of a second that add up."""
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
