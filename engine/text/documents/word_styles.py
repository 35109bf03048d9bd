"""Reads the styles and list numbers of paragraphs in DOCX files.

Both may be set by the paragraph itself or by a style that its own is based on. The content is collected in a
`Paragraph`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate
from typing import Any

from engine.text.documents import document
from engine.text.documents.blocks import DEEPEST_LEVEL, Block, Mark, moved_pictures, styles_of
from engine.text.documents.document import Matter, Picture
from engine.text.documents.formulas import with_raised
from engine.text.documents.prose import clean
from engine.text.documents.word_package import WORD
from engine.text.roman_numerals import written

_HEADING = re.compile(r"heading ?(\d)")
_CONTENTS = re.compile(r"toc ?(?:\d|heading)|contents ?(?:\d|heading)|table of figures")
_EMPHASIS, _STRONG = re.compile(r"(?:subtle |intense )?emphasis"), re.compile(r"strong")
_QUOTE = re.compile(r"(?:intense ?)?quot(?:e|ation)s?|block ?(?:text|quote|quotation)|verse|poem|poetry|epigraph")
_OFF = frozenset({"0", "false", "off", "none"})
_PLACE = re.compile(r"%([1-9])")
_SILENT = frozenset({"bullet", "none"})
_MAX_DEPTH = 8
_NEAR_PARTS = 8
_MIN_UNITS = 10 * 9525
"""Ten pixels; smaller pictures are lines or spacers."""


@dataclass(frozen=True)
class TextProperties:
    """The relevant properties of a text; None where unspecified.

    `level` is that of a heading, 0 for text; `raised` is the alignment, such as “superscript”; `number` is the list and
    `depth` the level in it; a `quote` is set apart.
    """

    level: int | None = None
    hidden: bool | None = None
    struck: bool | None = None
    raised: str | None = None
    font: str | None = None
    number: str | None = None
    depth: int | None = None
    contents: bool | None = None
    italic: bool | None = None
    bold: bool | None = None
    quote: bool | None = None

    def over(self, below: TextProperties) -> TextProperties:
        """Return this look, with unspecified properties taken from the one below."""
        if self is PLAIN or below is PLAIN:
            return below if self is PLAIN else self
        said = {name: own for name in _ASPECTS if (own := getattr(self, name)) is not None}
        return replace(below, **said)


_ASPECTS = tuple(aspect.name for aspect in fields(TextProperties))
PLAIN = TextProperties()


class WordStyles:
    """The looks of all styles; `root` is None for a file without them."""

    def __init__(self, root: Any) -> None:
        self._text_properties: dict[str, TextProperties] = {}
        styles = [] if root is None else root.findall(f"{WORD}style")
        own = {style.get(f"{WORD}styleId", ""): style for style in styles}
        for name in own:
            self._resolve(name, own)

    def text_properties(self, name: str | None) -> TextProperties:
        """Return the look of the style with this identifier; for a missing style, derive it from the identifier."""
        if name is None:
            return PLAIN
        return self._text_properties.get(name) or _properties_of_name(name)

    def _resolve(self, name: str, own: dict[str, Any]) -> None:
        """Resolve the look of a style and of those that it is based on, from the lowest."""
        chain: list[str] = []
        while name in own and name not in self._text_properties and name not in chain:
            chain.append(name)
            name = value(own[name], "basedOn") or ""
        below = self._text_properties.get(name, PLAIN)
        for each in reversed(chain):
            style = own[each]
            said = _properties_of_name(value(style, "name") or "")
            paragraph = paragraph_properties(style.find(f"{WORD}pPr"))
            below = said.over(paragraph).over(run_properties(style.find(f"{WORD}rPr"))).over(below)
            self._text_properties[each] = below


def _properties_of_name(name: str) -> TextProperties:
    plain = name.casefold()
    heading = _HEADING.fullmatch(plain)
    level = None if heading is None else int(heading[1]) if int(heading[1]) <= DEEPEST_LEVEL else 0
    return TextProperties(
        level,
        contents=_CONTENTS.fullmatch(plain) is not None or None,
        italic=_EMPHASIS.fullmatch(plain) is not None or None,
        bold=_STRONG.fullmatch(plain) is not None or None,
        quote=_QUOTE.fullmatch(plain) is not None or None,
    )


def paragraph_properties(properties: Any) -> TextProperties:
    """Return the look that the properties of a paragraph specify."""
    if properties is None:
        return PLAIN
    outline = value(properties, "outlineLvl")
    numbering = properties.find(f"{WORD}numPr")
    number = None if numbering is None else value(numbering, "numId")
    depth = None if numbering is None else value(numbering, "ilvl")
    return TextProperties(
        None if outline is None else _outline_level(outline),
        number=number,
        depth=int(depth) if depth is not None and depth.isdecimal() else None,
    )


def run_properties(properties: Any) -> TextProperties:
    """Return the look that the properties of a run specify."""
    if properties is None or not len(properties):
        return PLAIN
    fonts = properties.find(f"{WORD}rFonts")
    struck = is_on(properties, "strike")
    return TextProperties(
        hidden=is_on(properties, "vanish"),
        struck=is_on(properties, "dstrike") if struck is None else struck,
        raised=value(properties, "vertAlign"),
        font=None if fonts is None else fonts.get(f"{WORD}ascii"),
        italic=is_on(properties, "i"),
        bold=is_on(properties, "b"),
    )


def value(element: Any, name: str) -> str | None:
    """Return the value of a child of this name; None if there is no such child."""
    child = element.find(f"{WORD}{name}")
    return None if child is None else child.get(f"{WORD}val", "")


def is_on(properties: Any, name: str) -> bool | None:
    """Return whether a toggle property is on; None if unspecified."""
    said = value(properties, name)
    return None if said is None else said.casefold() not in _OFF


def _outline_level(said: str) -> int:
    """Convert an outline level, which counts from 0 and is 9 for text."""
    return int(said) + 1 if said.isdecimal() and int(said) < DEEPEST_LEVEL else 0


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
        """Return the label of the next paragraph of a list; empty if it has a bullet or none."""
        levels = self._levels.get(number)
        if levels is None:
            return ""
        depth = min(depth, _MAX_DEPTH)
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
    """Return a to z, then aa, bb and so on."""
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


@dataclass
class Paragraph:
    """A paragraph under construction, as parts of text with their `marks` and pictures (`seen`).

    `after` are the blocks of its text boxes; one that `joins` has lost its end and continues in the next one.
    """

    text_properties: TextProperties = PLAIN
    parts: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    seen: list[tuple[int, document.Picture]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    after: list[Block] = field(default_factory=list)
    matter: Matter = Matter.TEXT
    label: str = ""
    joins: bool = False
    run: TextProperties = PLAIN
    run_start: int = 0
    raised: str = ""

    def write(self, text: str) -> None:
        """Append text in line; completes a superscript before it."""
        if self.raised:
            self.parts.append(with_raised("".join(self.parts[-_NEAR_PARTS:]), self.raised))
            self.raised = ""
        self.parts.append(text)

    def begin_run(self, text_properties: TextProperties) -> None:
        """Begin a run with this look."""
        self.run, self.run_start = text_properties, len(self.parts)

    def end_run(self) -> None:
        """Record the emphasis of the run; a look of the whole paragraph is no emphasis."""
        run, end, self.run = self.run, len(self.parts), PLAIN
        if run is self.text_properties or end == self.run_start:
            return
        if run.italic and not self.text_properties.italic:
            self.marks.append((self.run_start, end, document.TextStyle.EMPHASIS))
        if run.bold and not self.text_properties.bold:
            self.marks.append((self.run_start, end, document.TextStyle.STRONG))

    def see(self, name: str, drawing: Any) -> None:
        """Record a picture in a drawing, which may be None, unless it is a line or a spacer."""
        sides = () if drawing is None else drawing.xpath("./*/*[local-name()='extent']/@*")
        if any(side.isdecimal() and int(side) < _MIN_UNITS for side in sides):
            return
        told = () if drawing is None else drawing.xpath("./*/*[local-name()='docPr']/@descr")
        self.seen.append((len(self.parts), Picture(0, name, " ".join("".join(told).split()))))

    def behind(self, before: Paragraph) -> Paragraph:
        """Append this paragraph to one that has lost its end; its own properties apply."""
        shift = len(before.parts)
        before.marks += [(start + shift, end + shift, text_properties) for start, end, text_properties in self.marks]
        before.seen += [(part + shift, picture) for part, picture in self.seen]
        before.parts += self.parts
        before.notes += self.notes
        before.after += self.after
        return replace(
            self, parts=before.parts, marks=before.marks, seen=before.seen, notes=before.notes, after=before.after
        )

    def block(self, waiting: list[Picture]) -> Block | None:
        """Return the paragraph as a block with the waiting pictures; None if it has no text.

        The pictures of a paragraph without text join the waiting ones.
        """
        level, whole = self.text_properties.level or 0, "".join(self.parts)
        text = _one_line(clean(whole)) if level else clean(whole)
        if not text:
            waiting += [picture for _, picture in self.seen]
            return None
        text = f"{self.label} {text}" if self.label else text
        places = list(accumulate(map(len, self.parts), initial=0)) if self.seen else []
        seen = [replace(picture, start=places[part]) for part, picture in self.seen]
        pictures = (*waiting, *moved_pictures(seen, whole, text)) if seen else tuple(waiting)
        waiting.clear()
        return Block(
            text, level, matter=self.matter, notes=tuple(self.notes), pictures=pictures,
            styles=styles_of(self.marks, self.parts, text) if self.marks else (),
            is_quote=bool(self.text_properties.quote),
        )  # fmt: skip


def _one_line(text: str) -> str:
    """Join the lines of a title, with a pause where they end."""
    lines = [line for line in text.split("\n") if line]
    return " ".join(line if line[-1] in ".,:;!?—–-" or line is lines[-1] else f"{line}:" for line in lines)
