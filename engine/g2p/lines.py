"""Line breaks: which of them end a paragraph, a line of its own, or nothing because the text was only wrapped."""

from __future__ import annotations

import re

from engine.g2p.draft import Draft

ITEM = "\x01"
"""Set where an item of a list or a heading begins, when markup is removed."""
BREAK = re.compile(rf"[ ]*\n[\s{ITEM}]*")
STRAY_ITEM = re.compile(f"{ITEM}+[ ]*")
WRAPPED_CHARACTERS = 50
"""A line of at least this length was broken because it was full."""
STOPS = ".!?…"
PAUSES = ",;:—–("


def join_lines(draft: Draft) -> None:
    """Leave one line break between paragraphs and none inside, with punctuation where a line's end replaced it."""
    if "\n" in draft.text:
        draft.rewrite(BREAK, _break)
    draft.rewrite(STRAY_ITEM, lambda match: "")


def _break(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    last, following = text[start - 1 : start], text[end : end + 1]
    if not last or not following:
        return ""
    closed = last in STOPS or (last in "”\"')" and text[start - 2 : start - 1] in STOPS)
    if match[0].count("\n") > 1:
        return "\n" if closed or last in PAUSES else ".\n"
    if closed or last in PAUSES:
        return " "
    if last == "-":
        return ""
    line_length = start - text.rfind("\n", 0, start) - 1
    if line_length >= WRAPPED_CHARACTERS and ITEM not in match[0]:
        return " "
    return ", " if following.islower() else ". "
