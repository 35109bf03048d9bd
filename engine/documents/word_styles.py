"""The styles of a DOCX file: what they say about a paragraph or a run, by themselves or by what they are based on."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import Any

from engine.documents.blocks import DEEPEST_LEVEL
from engine.documents.word_package import WORD

_HEADING = re.compile(r"heading ?(\d)")
_CONTENTS = re.compile(r"toc ?(?:\d|heading)|contents ?(?:\d|heading)|table of figures")
_EMPHASIS, _STRONG = re.compile(r"(?:subtle |intense )?emphasis"), re.compile(r"strong")
_QUOTE = re.compile(r"(?:intense ?)?quot(?:e|ation)s?|block ?(?:text|quote|quotation)|verse|poem|poetry|epigraph")
_OFF = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True)
class Look:
    """What matters of how text looks; None where nothing is said about it.

    `level` is that of a heading, 0 for text; `raised` is the alignment, such as “superscript”; `number` is the list and
    `depth` the place in it; a `quote` is set apart.
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

    def over(self, below: Look) -> Look:
        """This look where it says something, else the one below."""
        if self is PLAIN or below is PLAIN:
            return below if self is PLAIN else self
        said = {name: own for name in _ASPECTS if (own := getattr(self, name)) is not None}
        return replace(below, **said)


_ASPECTS = tuple(aspect.name for aspect in fields(Look))
PLAIN = Look()


class Styles:
    """The looks of all styles; `root` is None for a file without them."""

    def __init__(self, root: Any) -> None:
        self._looks: dict[str, Look] = {}
        styles = [] if root is None else root.findall(f"{WORD}style")
        own = {style.get(f"{WORD}styleId", ""): style for style in styles}
        for name in own:
            self._resolve(name, own)

    def look(self, name: str | None) -> Look:
        """The look of the style with this identifier; a usual name tells enough where the style is missing."""
        if name is None:
            return PLAIN
        return self._looks.get(name) or _look_of_name(name)

    def _resolve(self, name: str, own: dict[str, Any]) -> None:
        """Find the look of a style, and of those that it is based on, from the lowest."""
        chain: list[str] = []
        while name in own and name not in self._looks and name not in chain:
            chain.append(name)
            name = value(own[name], "basedOn") or ""
        below = self._looks.get(name, PLAIN)
        for each in reversed(chain):
            style = own[each]
            said = _look_of_name(value(style, "name") or "")
            paragraph = paragraph_look(style.find(f"{WORD}pPr"))
            below = said.over(paragraph).over(run_look(style.find(f"{WORD}rPr"))).over(below)
            self._looks[each] = below


def _look_of_name(name: str) -> Look:
    plain = name.casefold()
    heading = _HEADING.fullmatch(plain)
    level = None if heading is None else int(heading[1]) if int(heading[1]) <= DEEPEST_LEVEL else 0
    return Look(
        level,
        contents=_CONTENTS.fullmatch(plain) is not None or None,
        italic=_EMPHASIS.fullmatch(plain) is not None or None,
        bold=_STRONG.fullmatch(plain) is not None or None,
        quote=_QUOTE.fullmatch(plain) is not None or None,
    )


def paragraph_look(properties: Any) -> Look:
    """What the properties of a paragraph say of it."""
    if properties is None:
        return PLAIN
    outline = value(properties, "outlineLvl")
    numbering = properties.find(f"{WORD}numPr")
    number = None if numbering is None else value(numbering, "numId")
    depth = None if numbering is None else value(numbering, "ilvl")
    return Look(
        None if outline is None else _outline_level(outline),
        number=number,
        depth=int(depth) if depth is not None and depth.isdecimal() else None,
    )


def run_look(properties: Any) -> Look:
    """What the properties of a run say of it."""
    if properties is None or not len(properties):
        return PLAIN
    fonts = properties.find(f"{WORD}rFonts")
    struck = is_on(properties, "strike")
    return Look(
        hidden=is_on(properties, "vanish"),
        struck=is_on(properties, "dstrike") if struck is None else struck,
        raised=value(properties, "vertAlign"),
        font=None if fonts is None else fonts.get(f"{WORD}ascii"),
        italic=is_on(properties, "i"),
        bold=is_on(properties, "b"),
    )


def value(element: Any, name: str) -> str | None:
    """The value of a child of this name; None if there is no such child."""
    child = element.find(f"{WORD}{name}")
    return None if child is None else child.get(f"{WORD}val", "")


def is_on(properties: Any, name: str) -> bool | None:
    """Whether a property that is on or off is on; None if nothing is said."""
    said = value(properties, name)
    return None if said is None else said.casefold() not in _OFF


def _outline_level(said: str) -> int:
    """A level of the outline counts from 0, and 9 means text."""
    return int(said) + 1 if said.isdecimal() and int(said) < DEEPEST_LEVEL else 0
