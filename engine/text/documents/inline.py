"""Extracts the inline content of paragraphs: text, emphasis and pictures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from engine.text.documents.archive import no_picture
from engine.text.documents.document import Picture, TextStyle
from engine.text.documents.formulas import without_written_marks
from engine.text.documents.prose import clean, is_reading
from engine.text.documents.unread import kinds_of, selectors_of, selects, without_page_numbers, words_of

_INITIAL, _PICTURE, _PICTURE_END, _FORMULA = "\ue000", "\ue001", "\ue002", "\ue003"
"""Private-use characters: after an initial, around the alternative text of a picture, before that of a formula."""
_PRIVATE = re.compile(f"[{_INITIAL}{_PICTURE}{_PICTURE_END}{_FORMULA}]")
_INITIAL_WORDS = re.compile(r"(?:.*-)?(?:drop-?caps?|initial|lettrine|first-?letter|drop|versal|dc)(?:-?\d*)?")
_LETTER = re.compile(r"\s*([“\"'‘«„]?[^\W\d_])\s*")
_WORDS = frozenset({"A", "I", "O"})
_INITIAL_APART = re.compile(rf"([^\W\d_]){_INITIAL}(\s+)([^\W\d_]+)")
_ALONE = re.compile(rf"{_PICTURE}([^{_PICTURE_END}]*){_PICTURE_END}")
_WRITTEN_PICTURE = re.compile(r"\[Illustrations?\b[:.]?\s*([^\[\]]*)\]", re.IGNORECASE)
_VOWEL = re.compile("[aeiouyà-ÿ]", re.IGNORECASE)
_NO_TEXT = re.compile(
    r".*\.\w{3,4}|(?:an? )?(?:image|img|picture|photo(?:graph)?|illustration|figure|cover|logo|ornament|decoration"
    r"|separator|divider)s?(?: \d+)?|.*\b(?:icon|logo|avatar)\b.*"
    r"|(?:no )?(?:alt(?:ernative)? text|description)\b.*|.*\bnot available",
    re.IGNORECASE,
)
_OF_FORMULA = re.compile(r"(?:.*[-_ ])?(?:math|maths|equation|eqn?|formula|tex|latex)(?:[-_ \d].*)?", re.IGNORECASE)
_MAX_ALTERNATIVE = 300
_STARTS_LATER_LINE = re.compile(r"[a-zß-ÿ]|(?i:(?:and|or|of|in|on|to|for|with|from|by|at|et|de|du|y|e|und|der)\b)")
_ENDS_EARLIER_LINE = re.compile(
    r"(?:\b(?:and|or|of|in|the|an?|on|to|for|with|from|by|at|et|de|du|la|le|mr|mrs|dr|st)\.?|[^\w\s”’\"')\]])$",
    re.IGNORECASE,
)

_TAG_STYLES = {
    **dict.fromkeys(("em", "i", "cite", "dfn"), TextStyle.EMPHASIS),
    **dict.fromkeys(("strong", "b"), TextStyle.STRONG),
}  # fmt: skip
_STYLES = (
    (
        re.compile(r"ital(?:ics?)?|emph(?:asis)?|em"),
        re.compile(r"\bfont(?:-style)?\s*:[^;]*\b(?:italic|oblique)\b", re.IGNORECASE),
        TextStyle.EMPHASIS,
    ),
    (
        re.compile(r"bold|strong"),
        re.compile(r"\bfont(?:-weight)?\s*:[^;]*\b(?:bold(?:er)?|[6-9]00)\b", re.IGNORECASE),
        TextStyle.STRONG,
    ),
)
"""Classes of spans and CSS declarations that specify a look."""
_STAND_OUT = frozenset({"html", "body", *(f"h{level}" for level in range(1, 7))})
"""Elements with a fixed look."""
_SET_APART = re.compile(
    r"(?:block|pull)?-?quot(?:e|ation)s?|poem|poetry(?:-container)?|verse|stanza|letter\d?|epigraph|songs?|lyrics"
    r"|hymn|telegram|inscription"
)
_FEWEST_PIXELS = 10
"""The lower limit for the height and the width of a picture; smaller ones are lines or spacers."""
_SIDES = ("width", "height")
_PIXELS = re.compile(r"\s*(\d{1,9})(?:\.\d*)?\s*(?:px)?\s*")
_STYLED_PIXELS = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*(\d{1,9})(?:\.\d*)?px", re.IGNORECASE)
_XLINK = "{http://www.w3.org/1999/xlink}href"
_ELSEWHERE = re.compile(r"[a-z][a-z\d+.-]*:|//", re.IGNORECASE)


def is_initial(element: Any) -> bool:
    """Return whether an element has the style of a drop cap."""
    return any(_INITIAL_WORDS.fullmatch(word) for word in words_of(element))


def initial(text: str) -> str:
    """Mark a first letter whose word may continue after a gap; other text is unchanged."""
    found = _LETTER.fullmatch(text)
    return found[1] + _INITIAL if found else text


def begun(letter: str, text: str, *, styled: bool) -> str | None:
    """Join a paragraph with the first letter that stands alone before it; None if it is not its first letter."""
    found = _LETTER.fullmatch(letter)
    word = re.match(r"[^\W\d_]+", text)
    if found is None or word is None or not letter[-1].isupper():
        return None
    goes_on = word[0].islower() or (styled and word[0].isupper())
    if not goes_on or not _is_one_word(letter[-1], word[0], text):
        return None
    return found[1] + text


def _is_one_word(letter: str, rest: str, text: str) -> bool:
    """Return whether a letter and the following text are one word, as “I” and “n” are, not “I” and “was”."""
    if letter not in _WORDS:
        return True
    whole = (letter + rest).casefold()
    return _VOWEL.search(rest) is None or whole in set(re.findall(r"[^\W\d_]+", text.casefold()))


def settled(text: str, *, is_heading: bool = False) -> str:
    """Clean the text of a paragraph and remove note marks and page numbers, and a picture that stands alone.

    In a heading, a picture that stands alone is read.
    """
    if _PICTURE in text:
        around = _ALONE.sub("", text)
        text = _ALONE.sub(r"\1" if is_heading or any(map(str.isalnum, around)) else _alone, text)
    if _INITIAL in text:
        text = _INITIAL_APART.sub(_word, text)
    plain = clean(without_written_marks(without_page_numbers(_PRIVATE.sub("", text))))
    caption = _WRITTEN_PICTURE.fullmatch(plain)
    return caption[1] if caption else plain


def _alone(match: re.Match[str]) -> str:
    """Return the text for a picture that is a paragraph: that of a formula, otherwise empty."""
    return match[1][1:] if match[1].startswith(_FORMULA) else ""


def _word(match: re.Match[str]) -> str:
    one = _is_one_word(match[1], match[3], match.string)
    return match[1] + ("" if one else match[2]) + match[3]


def alternative_text(image: Any) -> str:
    """Return the text to read instead of a picture, if there is text around it."""
    told = " ".join((image.get("alt") or "").split())
    if not told or len(told) > _MAX_ALTERNATIVE or "presentation" in kinds_of(image) or "\\" in told:
        return ""
    if not any(map(str.isalnum, told)) or _NO_TEXT.fullmatch(told):
        return ""
    named = [*words_of(image), posixpath.splitext(posixpath.basename(image.get("src") or ""))[0]]
    formula = _FORMULA if any(_OF_FORMULA.fullmatch(name) for name in named) else ""
    return f"{_PICTURE}{formula}{told}{_PICTURE_END}"


def ruby_text(ruby: Any) -> str:
    """Return annotated characters once: their reading if it gives the pronunciation, otherwise the characters."""
    said: list[str] = []
    base: list[str] = []
    reading: list[str] = []

    def end_group() -> None:
        said.append(_chosen("".join(base), "".join(reading)))
        base.clear()
        reading.clear()

    def add_base(text: str) -> None:
        if reading and text.strip():
            end_group()
        base.append(text.strip("\n\t "))

    add_base(ruby.text or "")
    for element in ruby:
        if element.tag in ("rt", "rtc"):
            reading.append("".join(element.itertext()).strip())
        elif element.tag == "img":
            add_base(element.get("alt") or "\ufffc")
        elif element.tag != "rp":
            images = [each.get("alt") or "" for each in element.iter("img")]
            add_base("".join(element.itertext()) + "".join(images))
        add_base(element.tail or "")
    end_group()
    return "".join(said)


def _chosen(base: str, reading: str) -> str:
    plain = base.replace("\ufffc", "")
    return reading if is_reading(reading, plain) else plain


def in_one_line(text: str) -> str:
    """Join the lines of a heading, with a colon where a line does not continue in the next."""
    lines = [line for line in text.split("\n") if line.strip()]
    whole = lines[0] if lines else ""
    for line in lines[1:]:
        goes_on = _STARTS_LATER_LINE.match(line) or _ENDS_EARLIER_LINE.search(whole)
        between = "" if whole.endswith("-") else " " if goes_on else ": "
        whole += between + line
    return whole


class StyleResolver:
    """Determines the look of elements by their names, their own styles and the style sheets of the page."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._selectors = [(selectors_of(sheets, says), text_style) for _, says, text_style in _STYLES]

    def of(self, element: Any) -> set[TextStyle]:
        """Return the looks of an element's content; empty for plain text."""
        name = element.tag
        text_styles = {_TAG_STYLES[name]} if name in _TAG_STYLES else set()
        if not element.attrib or name in _STAND_OUT or is_initial(element):
            return text_styles
        text_styles.update(text_style for selectors, text_style in self._selectors if selects(selectors, element))
        return text_styles | _own_styles(element.get("class", "") if name == "span" else "", element.get("style", ""))


@lru_cache(1000)
def _own_styles(names: str, style: str) -> frozenset[TextStyle]:
    words = names.lower().split()
    return frozenset(
        text_style for word, says, text_style in _STYLES if any(map(word.fullmatch, words)) or says.search(style)
    )


@dataclass(frozen=True)
class DocumentPictures:
    """The pictures of a document.

    `find` returns the name of the picture that a page refers to by a path; `waiting` are pictures to attach to the
    following text.
    """

    find: Callable[[str], str | None] = no_picture
    waiting: list[Picture] = field(default_factory=list)

    def of(self, element: Any) -> Iterator[Picture]:
        """Yield the pictures that an image, or a drawing with images in it, shows."""
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
    """Return whether an element of this name, with these classes and kinds, sets its paragraphs apart."""
    if name == "blockquote":
        return True
    return any(map(_SET_APART.fullmatch, words)) or any(_SET_APART.fullmatch(kind.rpartition(":")[2]) for kind in kinds)


def _is_decoration(image: Any) -> bool:
    """Return whether a picture shows only a line or a drop cap that is also in the text."""
    around = image.getparent()
    if "presentation" in kinds_of(image) or is_initial(image) or (around is not None and is_initial(around)):
        return True
    sides = [found[1] for side in _SIDES if (found := _PIXELS.fullmatch(image.get(side, "")))]
    sides += _STYLED_PIXELS.findall(image.get("style", ""))
    return any(int(side) < _FEWEST_PIXELS for side in sides)
