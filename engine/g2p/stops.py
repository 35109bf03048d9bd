"""Stops, dashes, quotation marks and brackets between two words, as one: which pause they make, and how it is written.

“Oh!—no”, “him,—and”, “last!)—and” and “Really?!?” have more signs than pauses. Of a run of them the strongest stop is
left, with the marks that close before it and open behind it, and a space, so that no sign sticks to a word.
"""

from __future__ import annotations

import re

from engine.g2p.draft import rule
from engine.languages import Language

STRENGTHS = {"—": 1, ",": 2, ";": 2, ":": 2, ".": 3, "…": 3, "!": 4, "?": 5}
"""Of two stops of one strength the first is left: “;,” is a semicolon."""
OPENING = "(“"
CLOSING = {")": "(", "”": "“"}
ABBREVIATING = re.compile(r"\.[ ]?[,;:]")
"""A dot that another stop follows belongs to an abbreviation: “Esqr., and”."""
SIGNS = f"{''.join(STRENGTHS)}()“”"
DOTTED_BEFORE = re.compile(r"[A-Za-z]+(?:\.[A-Za-z]+)*\Z")
DOTTED_AHEAD = re.compile(r"[A-Za-z]+(?:\.[A-Za-z]+)*")
LONGEST_DOTTED = 40
INITIAL_AHEAD = re.compile(r"(?<=[A-Za-z]\.)[A-Za-z]")
MOST_SPELLED = 2
"""Letters between the dots of what is spelled: “U.S”, “Ph.D”."""


def _between(match: re.Match[str], language: Language) -> str | None:
    if match[0] == "." and INITIAL_AHEAD.match(match.string, match.end()):
        return None
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


def _inner_dot(match: re.Match[str], language: Language) -> str | None:
    """“end.The” has lost a space, “J.K.Rowling” never had one, “foo.bar” is a name; “U.S” is spelled later."""
    text, start, end = match.string, match.start(), match.end()
    whole = (
        DOTTED_BEFORE.search(text, max(0, start - LONGEST_DOTTED), start),
        DOTTED_AHEAD.match(text, end, end + LONGEST_DOTTED),
    )
    before, after = (dotted[0] if dotted else "" for dotted in whole)
    if max(map(len, (*before.split("."), *after.split(".")))) <= MOST_SPELLED:
        return None
    if not after[0].isupper():
        return " dot "
    return " " if len(before.rpartition(".")[2]) == 1 else ". "


RULES = (
    rule(r"\.(?<=[A-Za-z]\.)(?=[A-Za-z])", _inner_dot),
    rule(rf"[ {SIGNS}](?:(?<=[{SIGNS}])|(?=[{SIGNS}]))[ {SIGNS}]*", _between),
)
