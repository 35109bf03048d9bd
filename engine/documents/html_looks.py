"""What the elements of a page show besides their text: emphasis, passages that are set apart, and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from engine.documents.document import Look, Picture
from engine.documents.inline import is_initial
from engine.documents.pictures import no_picture
from engine.documents.style_sheets import selectors_of, selects
from engine.documents.unread import kinds_of

_LOOKS = {
    **dict.fromkeys(("em", "i", "cite", "dfn"), Look.EMPHASIS),
    **dict.fromkeys(("strong", "b"), Look.STRONG),
}  # fmt: skip
_STYLES = (
    (
        re.compile(r"ital(?:ics?)?|emph(?:asis)?|em"),
        re.compile(r"\bfont(?:-style)?\s*:[^;]*\b(?:italic|oblique)\b", re.IGNORECASE),
        Look.EMPHASIS,
    ),
    (
        re.compile(r"bold|strong"),
        re.compile(r"\bfont(?:-weight)?\s*:[^;]*\b(?:bold(?:er)?|[6-9]00)\b", re.IGNORECASE),
        Look.STRONG,
    ),
)
"""The classes of spans, and the declarations, that say how something is shown."""
_STAND_OUT = frozenset({"html", "body", *(f"h{level}" for level in range(1, 7))})
"""The whole of these is shown as it always is."""
_SET_APART = re.compile(
    r"(?:block|pull)?-?quot(?:e|ation)s?|poem|poetry(?:-container)?|verse|stanza|letter\d?|epigraph|songs?|lyrics"
    r"|hymn|telegram|inscription"
)
_FEWEST_PIXELS = 10
"""What is known to be lower or narrower is a line or fills a gap."""
_SIDES = ("width", "height")
_PIXELS = re.compile(r"\s*(\d{1,9})(?:\.\d*)?\s*(?:px)?\s*")
_STYLED_PIXELS = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*(\d{1,9})(?:\.\d*)?px", re.IGNORECASE)
_XLINK = "{http://www.w3.org/1999/xlink}href"
_ELSEWHERE = re.compile(r"[a-z][a-z\d+.-]*:|//", re.IGNORECASE)


class Looks:
    """How elements are shown: by their names and their own styles, and by what the style sheets of the page say."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._selectors = [(selectors_of(sheets, says), look) for _, says, look in _STYLES]

    def of(self, element: Any) -> set[Look]:
        """How what is inside an element is shown; nothing if as the rest."""
        name = element.tag
        looks = {_LOOKS[name]} if name in _LOOKS else set()
        if not element.attrib or name in _STAND_OUT or is_initial(element):
            return looks
        looks.update(look for selectors, look in self._selectors if selects(selectors, element))
        return looks | _own_looks(element.get("class", "") if name == "span" else "", element.get("style", ""))


@lru_cache(1000)
def _own_looks(names: str, style: str) -> frozenset[Look]:
    words = names.lower().split()
    return frozenset(look for word, says, look in _STYLES if any(map(word.fullmatch, words)) or says.search(style))


@dataclass(frozen=True)
class Pictures:
    """The pictures of a document.

    `find` is the name of the one that a page refers to by a path; those that stand where no text is are `waiting` for
    the text that follows.
    """

    find: Callable[[str], str | None] = no_picture
    waiting: list[Picture] = field(default_factory=list)

    def of(self, element: Any) -> Iterator[Picture]:
        """The pictures that an image, or a drawing with images in it, shows."""
        if element.tag == "svg":
            told = " ".join("".join(element.xpath("string(./*[local-name()='title'])")).split())
            for image in element.iter("image", "{http://www.w3.org/2000/svg}image"):
                yield from self._named(image.get(_XLINK) or image.get("xlink:href") or image.get("href") or "", told)
        elif not _is_decoration(element):
            yield from self._named(element.get("src") or "", " ".join((element.get("alt") or "").split()))

    def _named(self, reference: str, description: str) -> Iterator[Picture]:
        path = reference.strip()
        name = None if not path or _ELSEWHERE.match(path) else self.find(unquote(path.partition("#")[0]))
        if name is not None:
            yield Picture(0, name, description)


def is_set_apart(name: str, words: Iterable[str], kinds: Iterable[str]) -> bool:
    """Whether paragraphs stand apart from the text in an element of this name, these classes and these kinds."""
    if name == "blockquote":
        return True
    return any(map(_SET_APART.fullmatch, words)) or any(_SET_APART.fullmatch(kind.rpartition(":")[2]) for kind in kinds)


def _is_decoration(image: Any) -> bool:
    """Whether a picture has no more to show than a line or the letter that the text has, too."""
    around = image.getparent()
    if "presentation" in kinds_of(image) or is_initial(image) or (around is not None and is_initial(around)):
        return True
    sides = [found[1] for side in _SIDES if (found := _PIXELS.fullmatch(image.get(side, "")))]
    sides += _STYLED_PIXELS.findall(image.get("style", ""))
    return any(int(side) < _FEWEST_PIXELS for side in sides)
