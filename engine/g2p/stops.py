"""Stops, dashes, quotation marks and brackets between two words, as one: which pause they make, and how it is written.

“Oh!—no”, “him,—and”, “last!)—and” and “Really?!?” have more signs than pauses. Of a run of them the strongest stop is
left, with the marks that close before it and open behind it, and a space, so that no sign sticks to a word.
"""

from __future__ import annotations

import re
from itertools import pairwise

from engine.g2p.draft import rule
from engine.languages import Language

STRENGTHS = {"—": 1, ",": 2, ";": 2, ":": 2, ".": 3, "…": 3, "!": 4, "?": 5}
"""Of two stops of one strength the first is left: “;,” is a semicolon."""
OPENING = "(“"
CLOSING = {")": "(", "”": "“"}
ABBREVIATING = re.compile(r"\.[ ]?[,;:]")
"""A dot that another stop follows belongs to an abbreviation: “Esqr., and”."""
INNER_DOT = r"(?<=[A-Za-z])\.(?=[A-Za-z])"
SIGN = rf"(?:(?!{INNER_DOT})[.,;:!?…—“”()])"
MOST_SPELLED = 2
"""Letters between the dots of what is spelled: “U.S”, “Ph.D”."""


def _between(match: re.Match[str], language: Language) -> str | None:
    return None if (left := _left(match)) == match[0] else left


def _left(match: re.Match[str]) -> str:
    """What is left of a run of signs; at a line's start no stop but an ellipsis, at its end no mark that opens."""
    run, text = match[0], match.string
    before, after = text[match.start() - 1 : match.start()].strip(), text[match.end() : match.end() + 1].strip()
    stop, closing, opening = _reduced(run)
    if not before:
        return "".join(opening) if stop != "…" or not after else "".join(opening) + stop
    if not after:
        return closing
    if opening:
        return f"{closing} {''.join(opening)}"
    if closing.endswith("—") and " — " in run:
        return f"{closing[:-1]} — "
    glued = closing in ("—", "…") and not run.endswith(" ") and before.isalnum()
    return closing if glued else f"{closing} "


def _reduced(run: str) -> tuple[str, str, list[str]]:
    """The stop of a run, if any, the marks that close with the stop among them, and those that open."""
    stop, place = "", 0
    closing: list[str] = []
    opening: list[str] = []
    for index, sign in enumerate(run):
        if sign in OPENING:
            opening.append(sign)
        elif sign in CLOSING:
            if opening and opening[-1] == CLOSING[sign]:
                opening.pop()  # nothing is inside
            else:
                closing.append(sign)
        elif STRENGTHS.get(sign, 0) > STRENGTHS.get(stop, 0) and not ABBREVIATING.match(run, index):
            stop, place = sign, len(closing)
    return stop, "".join((*closing[:place], stop, *closing[place:])), opening


def _dotted(match: re.Match[str], language: Language) -> str | None:
    """“end.The” has lost a space, “J.K.Rowling” never had one, “foo.bar” is a name; “U.S” is spelled later."""
    parts = match[0].split(".")
    if max(map(len, parts)) <= MOST_SPELLED:
        return None
    words = parts[0]
    for before, after in pairwise(parts):
        between = " dot " if not after[0].isupper() else " " if len(before) == 1 else ". "
        words += between + after
    return words


RULES = (
    rule(rf"(?<![\w.])[A-Za-z]+(?:{INNER_DOT}[A-Za-z]+)+", _dotted),
    rule(rf"[ ]?{SIGN}(?:[ ]|{SIGN})*", _between),
)
