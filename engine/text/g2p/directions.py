"""Parses directions in brackets: pauses, voices and presets.

`[pause 1.5s]`, `[pause 500ms]` and `[voice:am_michael]` are carried out and not spoken. The tags of presets, such as
`[slow]` and `[/slow]`, are removed before the text is read, so that nothing else changes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from engine.errors import InvalidRequest, UnknownVoice
from engine.speech import Notice, Preset
from engine.text.g2p.draft import SourcedText

DIRECTION = re.compile(
    r"""
    \[ [ ]* (?: pause\b (?P<pause>[^\[\]\n]{0,60})
    | voice (?: [ ]*[:=] (?P<voice>[^\[\]\n]{0,200}) | [ ]+ (?P<word>[^\s\[\]]{1,200}) [ ]* ) ) \] (?!\()
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A direction, not followed by a round bracket: `[pause](/pˈɔz/)` gives a pronunciation."""
PRESET_TAG = re.compile(rf"\[[ ]?(?P<closing>/?)[ ]?(?P<preset>{'|'.join(Preset)})[ ]?\](?!\()", re.IGNORECASE)
"""The tag before a word or a passage to which a preset applies, or after the passage."""
_TAG = PRESET_TAG.pattern.replace("?P<closing>", "?:").replace("?P<preset>", "?:")
_REMOVED = re.compile(
    rf"(?<![^\n])(?:{_TAG}[ \t]*)+(?:\n|$)"  # lines of tags
    rf"|(?<!\S)(?!\[[ ]?/)(?:{_TAG}[ \t]*)+"
    rf"|(?<![ \t])[ \t]+(?=\[[ ]?/)(?:{_TAG})+(?![\w\[])"
    rf"|{_TAG}",
    re.IGNORECASE,
)
"""Tags of presets with the white space that they leave over."""
_WORD_START = re.compile(rf"{_TAG}|{DIRECTION.pattern}|(?P<letter>\w)", re.VERBOSE | re.IGNORECASE)
MAX_GAP_CHARACTERS = 300
"""The longest way from a tag to its word."""
FOR_PASSAGES = frozenset({Preset.SLOW, Preset.FAST})
"""The presets whose end has to be marked."""
DURATION = re.compile(r"[ :=]*(?P<number>\d+(?:\.\d+)?)[ ]?(?P<unit>ms|s)[ ]*", re.IGNORECASE)
SECONDS = {"s": 1.0, "ms": 0.001}
MAX_PAUSE_SECONDS = 60.0


@dataclass(frozen=True)
class Direction:
    """A direction at `start` to `end` of a text: a pause, the voice of the following text, or a problem."""

    start: int
    end: int
    pause_seconds: float | None = None
    voice: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Section:
    """Characters from `start` to `end` of a text, without directions; may be empty.

    They are spoken by `voice`, or by that of the request if it is empty; `rest_seconds` is the requested pause after
    them.
    """

    start: int
    end: int
    voice: str = ""
    rest_seconds: float | None = None


@dataclass(frozen=True)
class PresetMark:
    """A preset for the words with any of the characters from `start` to `end` of a text."""

    preset: Preset
    start: int
    end: int


@dataclass(frozen=True)
class PresetMarks:
    """The presets of a text, in the order of their starts, and a notice for each tag without effect."""

    marks: tuple[PresetMark, ...] = ()
    notices: tuple[Notice, ...] = ()

    def across(self, offset: int) -> tuple[Preset, ...]:
        """Return the presets that apply both before and after a character."""
        return tuple(each.preset for each in self.marks if each.start < offset < each.end)

    def within(self, start: int, end: int) -> PresetMarks:
        """Return those of a part of the text, in offsets of that part."""
        marks = (
            PresetMark(each.preset, max(each.start, start) - start, min(each.end, end) - start)
            for each in self.marks
            if each.start < end and start < each.end
        )
        notices = (
            replace(each, start=each.start - start, end=each.end - start)
            for each in self.notices
            if start <= each.start < end
        )
        return PresetMarks(tuple(marks), tuple(notices))


@dataclass(frozen=True)
class Script:
    """A text in at least one section, its presets, and a notice for each direction that cannot be carried out."""

    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()
    marks: tuple[PresetMark, ...] = ()

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self.sections]

    @property
    def voices(self) -> frozenset[str]:
        """The voices that the text names."""
        return frozenset(section.voice for section in self.sections if section.voice)

    def place(self, offset: int) -> int:
        """Return the index of the section with this character."""
        return bisect_right(self._starts, offset) - 1

    def rest_seconds(self, first: int, end: int) -> float | None:
        """Return the total pause after the sections from `first` to before `end`; None if none was requested."""
        rests = [each.rest_seconds for each in self.sections[first:end] if each.rest_seconds is not None]
        return sum(rests) if rests else None


def directions(text: str) -> Iterator[Direction]:
    """Yield the directions of a text in order."""
    for match in DIRECTION.finditer(text):
        yield _voice(match) if match["pause"] is None else _pause(match)


def voice_before(text: str, end: int, find_voice: Callable[[str], object]) -> str:
    """Return the last voice that the text names before a place, if any; see `read_script`."""
    return read_script(text[:end], find_voice, marks=PresetMarks()).sections[-1].voice


def read_marks(text: str) -> PresetMarks:
    """Return the presets of a text: each for the words between its tags, or for the next word after a single tag."""
    marks: list[PresetMark] = []
    notices: list[Notice] = []
    waiting: dict[Preset, re.Match[str]] = {}

    def finish(tag: re.Match[str], preset: Preset) -> None:
        found = _next_word(text, tag.end()) if preset not in FOR_PASSAGES else None
        if found is not None:
            marks.append(PresetMark(preset, found, found + 1))
        else:
            hint = f"end it with [/{preset}]" if preset in FOR_PASSAGES else "write it directly before a word"
            notices.append(Notice(f"“{tag[0]}” was ignored: {hint}.", *tag.span()))

    for tag in PRESET_TAG.finditer(text):
        preset = Preset(tag["preset"].lower())
        before = waiting.pop(preset, None)
        if not tag["closing"]:
            waiting[preset] = tag
            if before is not None:
                finish(before, preset)
        elif before is not None:
            marks.append(PresetMark(preset, before.end(), tag.start()))
        else:
            notices.append(Notice(f"“{tag[0]}” was ignored: write [{preset}] before it.", *tag.span()))
    for preset, tag in waiting.items():
        finish(tag, preset)
    return PresetMarks(tuple(sorted(marks, key=lambda mark: mark.start)), tuple(notices))


def _next_word(text: str, start: int) -> int | None:
    """Return the start of the next word outside directions; None if it is too far away."""
    found = _WORD_START.finditer(text, start, start + MAX_GAP_CHARACTERS)
    return next((match.start() for match in found if match["letter"]), None)


def without_preset_tags(text: str) -> SourcedText:
    """Return a text without the tags of presets, which may have none."""
    return SourcedText.of(text).rewrite(_REMOVED, lambda match: "")


def hide_preset_tags(text: str, character: str) -> str:
    """Replace the tags of presets, with the white space that they leave over, by as many of one character."""
    return _REMOVED.sub(lambda match: character * len(match[0]), text)


def read_script(
    text: str,
    find_voice: Callable[[str], object] = lambda name: name,
    voice: str = "",
    marks: PresetMarks | None = None,
) -> Script:
    """Divide the text at its directions; the first part is for `voice`.

    `find_voice` raises `InvalidRequest` for an unknown voice, which adds a notice. `marks` are the presets of the text,
    if it is only a part of one.
    """
    marks = read_marks(text) if marks is None else marks
    sections: list[Section] = []
    notices = list(marks.notices)
    start = 0
    for found in directions(text):
        problem = found.problem or _problem_with(found.voice, find_voice)
        if problem:
            notices.append(Notice(problem, found.start, found.end))
        sections.append(Section(start, found.start, voice, found.pause_seconds))
        start, voice = found.end, voice if problem else found.voice or voice
    return Script((*sections, Section(start, len(text), voice)), tuple(notices), marks.marks)


def _pause(match: re.Match[str]) -> Direction:
    duration = DURATION.fullmatch(match["pause"])
    if duration is None:
        return Direction(*match.span(), problem=f"“{match[0]}” was ignored: write a pause like [pause 1.5s].")
    seconds = float(duration["number"]) * SECONDS[duration["unit"].lower()]
    if seconds > MAX_PAUSE_SECONDS:
        most = f"{MAX_PAUSE_SECONDS:g}"
        return Direction(*match.span(), problem=f"“{match[0]}” was ignored: pauses can be at most {most} seconds.")
    return Direction(*match.span(), pause_seconds=seconds)


def _voice(match: re.Match[str]) -> Direction:
    name = (match["word"] or match["voice"]).strip()
    problem = "" if name else f"“{match[0]}” was ignored: write a voice like [voice:am_michael]."
    return Direction(*match.span(), voice=name, problem=problem)


def _problem_with(voice: str, find_voice: Callable[[str], object]) -> str:
    try:
        if voice:
            find_voice(voice)
    except UnknownVoice as error:
        meant = f"Did you mean “{error.nearest}”? " if error.nearest else ""
        return f"{error.message} {meant}The voice doesn’t change."
    except InvalidRequest as error:
        return f"{error} The voice doesn’t change."
    return ""
