"""Directions in a text, which are done and not spoken: `[pause 1.5s]`, `[pause 500ms]` and `[voice:am_michael]`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from engine.errors import InvalidRequest, UnknownVoice
from engine.speech import Notice

DIRECTION = re.compile(
    r"""
    \[ [ ]* (?: pause\b (?P<pause>[^\[\]\n]{0,60})
    | voice (?: [ ]*[:=] (?P<voice>[^\[\]\n]{0,200}) | [ ]+ (?P<word>[^\s\[\]]{1,200}) [ ]* ) ) \] (?!\()
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Not before a round bracket: `[pause](/pˈɔz/)` gives a pronunciation."""
DURATION = re.compile(r"[ :=]*(?P<number>\d+(?:\.\d+)?)[ ]?(?P<unit>ms|s)[ ]*", re.IGNORECASE)
SECONDS = {"s": 1.0, "ms": 0.001}
LONGEST_PAUSE_SECONDS = 60.0


@dataclass(frozen=True)
class Direction:
    """Characters `start` to `end` of a text: a pause, or the voice of what follows, or neither and what is wrong."""

    start: int
    end: int
    pause_seconds: float | None = None
    voice: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Section:
    """Characters from `start` to `end` of a text, without directions, maybe none.

    They are spoken by `voice`, that of the request where it is empty; `rest_seconds` is the pause asked for after them.
    """

    start: int
    end: int
    voice: str = ""
    rest_seconds: float | None = None


@dataclass(frozen=True)
class Script:
    """A text in sections, of which there is at least one, and a notice for each direction that cannot be done."""

    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self.sections]

    @property
    def voices(self) -> frozenset[str]:
        """The voices that the text names."""
        return frozenset(section.voice for section in self.sections if section.voice)

    def place(self, offset: int) -> int:
        """The place of the section with this character."""
        return bisect_right(self._starts, offset) - 1

    def rest_seconds(self, first: int, end: int) -> float | None:
        """The pauses asked for after the sections from the place `first` to before `end`, or None if there are none."""
        rests = [each.rest_seconds for each in self.sections[first:end] if each.rest_seconds is not None]
        return sum(rests) if rests else None


def directions(text: str) -> Iterator[Direction]:
    """The directions of a text in order."""
    for match in DIRECTION.finditer(text):
        yield _voice(match) if match["pause"] is None else _pause(match)


def voice_before(text: str, end: int, find_voice: Callable[[str], object]) -> str:
    """The voice that the text has named last before a place, if any; see `read_script`."""
    return read_script(text[:end], find_voice).sections[-1].voice


def read_script(text: str, find_voice: Callable[[str], object] = lambda name: name, voice: str = "") -> Script:
    """The text cut at its directions, the first part for `voice`.

    `find_voice` raises `InvalidRequest` for what is no voice, which is noticed.
    """
    sections: list[Section] = []
    notices: list[Notice] = []
    start = 0
    for found in directions(text):
        problem = found.problem or _problem_with(found.voice, find_voice)
        if problem:
            notices.append(Notice(problem, found.start, found.end))
        sections.append(Section(start, found.start, voice, found.pause_seconds))
        start, voice = found.end, voice if problem else found.voice or voice
    return Script((*sections, Section(start, len(text), voice)), tuple(notices))


def _pause(match: re.Match[str]) -> Direction:
    duration = DURATION.fullmatch(match["pause"])
    if duration is None:
        return Direction(*match.span(), problem=f"“{match[0]}” is left out: write a pause like [pause 1.5s].")
    seconds = float(duration["number"]) * SECONDS[duration["unit"].lower()]
    if seconds > LONGEST_PAUSE_SECONDS:
        most = f"{LONGEST_PAUSE_SECONDS:g}"
        return Direction(*match.span(), problem=f"“{match[0]}” is left out: a pause has at most {most} seconds.")
    return Direction(*match.span(), pause_seconds=seconds)


def _voice(match: re.Match[str]) -> Direction:
    name = (match["word"] or match["voice"]).strip()
    problem = "" if name else f"“{match[0]}” is left out: write a voice like [voice:am_michael]."
    return Direction(*match.span(), voice=name, problem=problem)


def _problem_with(voice: str, find_voice: Callable[[str], object]) -> str:
    try:
        if voice:
            find_voice(voice)
    except UnknownVoice as error:
        meant = f"Did you mean “{error.nearest}”? " if error.nearest else ""
        return f"{error.message} {meant}The voice stays as it is."
    except InvalidRequest as error:
        return f"{error} The voice stays as it is."
    return ""
