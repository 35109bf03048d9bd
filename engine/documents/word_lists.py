"""The numbers that DOCX files keep apart from the text of numbered paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.documents.word_package import WORD
from engine.documents.word_styles import is_on, value
from engine.roman_numerals import written

_PLACE = re.compile(r"%([1-9])")
_SILENT = frozenset({"bullet", "none"})
_DEEPEST = 8


@dataclass(frozen=True)
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    is_legal: bool = False


class Lists:
    """Counts the paragraphs of each list; `root` is None for a file without lists."""

    def __init__(self, root: Any) -> None:
        parts = [] if root is None else list(root)
        patterns = {each.get(f"{WORD}abstractNumId", ""): each for each in parts if each.tag == f"{WORD}abstractNum"}
        linked = {value(each, "styleLink"): each for each in patterns.values()}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counted_with: dict[str, str] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for each in parts:
            if each.tag == f"{WORD}num":
                self._add(each, patterns, linked)

    def label(self, number: str, depth: int) -> str:
        """The number of the next paragraph of a list as it is written; nothing for one with a bullet or none."""
        levels = self._levels.get(number)
        if levels is None:
            return ""
        depth = min(depth, _DEEPEST)
        counts = self._counts.setdefault(self._counted_with[number], {})
        restart = self._restarts.pop((number, depth), None)
        if restart is not None:
            counts[depth] = restart
        elif depth in counts:
            counts[depth] += 1
        else:
            counts[depth] = levels.get(depth, _Level()).start
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        return _written(levels, counts, depth)

    def _add(self, number: Any, patterns: dict[str, Any], linked: dict[str | None, Any]) -> None:
        name = number.get(f"{WORD}numId", "")
        pattern_name = value(number, "abstractNumId") or ""
        pattern = patterns.get(pattern_name)
        if pattern is None:
            return
        style = value(pattern, "numStyleLink")
        pattern = pattern if style is None else linked.get(style, pattern)
        levels = {_depth(level): _level(level) for level in pattern.findall(f"{WORD}lvl")}
        for override in number.findall(f"{WORD}lvlOverride"):
            depth, own, start = _depth(override), override.find(f"{WORD}lvl"), value(override, "startOverride")
            if own is not None:
                levels[depth] = _level(own)
            if start is not None:
                self._restarts[name, depth] = _number(start, 1)
        self._levels[name] = levels
        self._counted_with[name] = pattern.get(f"{WORD}abstractNumId", pattern_name)


def _level(element: Any) -> _Level:
    return _Level(
        _number(value(element, "start"), 1),
        value(element, "numFmt") or "decimal",
        value(element, "lvlText") or "",
        bool(is_on(element, "isLgl")),
    )


def _depth(element: Any) -> int:
    return _number(element.get(f"{WORD}ilvl"), 0)


def _number(said: str | None, usual: int) -> int:
    return int(said) if said and said.isdecimal() and len(said) < 7 else usual


def _written(levels: dict[int, _Level], counts: dict[int, int], depth: int) -> str:
    own = levels.get(depth, _Level())
    if own.format in _SILENT:
        return ""

    def said(place: re.Match[str]) -> str:
        at = int(place[1]) - 1
        level = levels.get(at, _Level())
        written = _FORMATS.get("decimal" if own.is_legal else level.format, str)
        return written(counts.get(at, level.start))

    label = _PLACE.sub(said, own.text).strip()
    return label if any(map(str.isalnum, label)) else ""


def _letters(number: int) -> str:
    """A to z, then aa, bb and so on."""
    if number < 1:
        return str(number)
    times, letter = divmod(number - 1, 26)
    return chr(ord("a") + letter) * (times + 1) if times < 4 else str(number)


_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": lambda number: written(number).lower(),
    "upperRoman": written,
    "decimalZero": "{:02d}".format,
}
