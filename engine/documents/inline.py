"""What is inside a paragraph and not plain text: initials, readings of characters, pictures in a sentence."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from engine.documents.prose import clean, is_reading
from engine.documents.raised import without_written_marks
from engine.documents.unread import kinds_of, without_page_numbers, words_of

_INITIAL, _PICTURE, _PICTURE_END, _FORMULA = "\ue000", "\ue001", "\ue002", "\ue003"
"""Signs for private use: behind an initial, around the alternative text of a picture, before that of a formula."""
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
_LONGEST_ALTERNATIVE = 300
_STARTS_LATER_LINE = re.compile(r"[a-zß-ÿ]|(?i:(?:and|or|of|in|on|to|for|with|from|by|at|et|de|du|y|e|und|der)\b)")
_ENDS_EARLIER_LINE = re.compile(
    r"(?:\b(?:and|or|of|in|the|an?|on|to|for|with|from|by|at|et|de|du|la|le|mr|mrs|dr|st)\.?|[^\w\s”’\"')\]])$",
    re.IGNORECASE,
)


def is_initial(element: Any) -> bool:
    """Whether the style of an element is that of the large first letter of a chapter."""
    return any(_INITIAL_WORDS.fullmatch(word) for word in words_of(element))


def initial(text: str) -> str:
    """A first letter with the sign that the rest of its word may follow apart; other text as it is."""
    found = _LETTER.fullmatch(text)
    return found[1] + _INITIAL if found else text


def begun(letter: str, text: str, *, styled: bool) -> str | None:
    """A paragraph with its first letter, which stands alone before it; None if it is none."""
    found = _LETTER.fullmatch(letter)
    word = re.match(r"[^\W\d_]+", text)
    if found is None or word is None or not letter[-1].isupper():
        return None
    goes_on = word[0].islower() or (styled and word[0].isupper())
    if not goes_on or not _is_one_word(letter[-1], word[0], text):
        return None
    return found[1] + text


def _is_one_word(letter: str, rest: str, text: str) -> bool:
    """Whether a letter and what follows are one word, as “I” and “n” are, not “I” and “was”."""
    if letter not in _WORDS:
        return True
    whole = (letter + rest).casefold()
    return _VOWEL.search(rest) is None or whole in set(re.findall(r"[^\W\d_]+", text.casefold()))


def settled(text: str, *, is_heading: bool = False) -> str:
    """The text of a paragraph, cleaned, without marks and numbers of pages; a picture alone in it is none of it.

    A heading may be a picture.
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
    """What is read of a picture that is a paragraph: a formula."""
    return match[1][1:] if match[1].startswith(_FORMULA) else ""


def _word(match: re.Match[str]) -> str:
    one = _is_one_word(match[1], match[3], match.string)
    return match[1] + ("" if one else match[2]) + match[3]


def alternative_text(image: Any) -> str:
    """What is read in place of a picture, if there is text around it."""
    told = " ".join((image.get("alt") or "").split())
    if not told or len(told) > _LONGEST_ALTERNATIVE or "presentation" in kinds_of(image) or "\\" in told:
        return ""
    if not any(map(str.isalnum, told)) or _NO_TEXT.fullmatch(told):
        return ""
    named = [*words_of(image), posixpath.splitext(posixpath.basename(image.get("src") or ""))[0]]
    formula = _FORMULA if any(_OF_FORMULA.fullmatch(name) for name in named) else ""
    return f"{_PICTURE}{formula}{told}{_PICTURE_END}"


def ruby_text(ruby: Any) -> str:
    """Characters with a reading beside them, once: the reading if it says how to speak them."""
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
    """The lines of a heading as one, with a pause where a line does not go on in the next."""
    lines = [line for line in text.split("\n") if line.strip()]
    whole = lines[0] if lines else ""
    for line in lines[1:]:
        goes_on = _STARTS_LATER_LINE.match(line) or _ENDS_EARLIER_LINE.search(whole)
        between = "" if whole.endswith("-") else " " if goes_on else ": "
        whole += between + line
    return whole
