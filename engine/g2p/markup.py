"""Removes the marks of Markdown and HTML, which are not spoken, and keeps inline pronunciations."""

from __future__ import annotations

import html
import re

from engine.g2p.draft import Draft
from engine.g2p.lines import ITEM

FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)
RULE_LINE = re.compile(r"^[ ]{0,3}(?:[-*_=][ ]?){3,}$", re.MULTILINE)
TABLE_LINE = re.compile(r"^[ ]*\|?(?:[ ]*:?-{2,}:?[ ]*\|)+[ ]*(?::?-{2,}:?)?[ ]*$", re.MULTILINE)
HEADING = re.compile(r"^[ ]?\#{1,6}[ ]", re.MULTILINE)
HEADING_END = re.compile(r"[ ]\#{1,6}[ ]?$", re.MULTILINE)
BULLET = re.compile(r"^[ ]*(?:[-*+•–—][ ]+(?:\[[ xX]\][ ]+)?|>+[ ]?)", re.MULTILINE)
NUMBERED = re.compile(r"^(?P<indent>[ ]*)(?P<digits>\d{1,3})(?P<mark>[.)])[ ]+(?=\S)", re.MULTILINE)
IMAGE_OR_LINK = re.compile(r"!?\[(?P<text>[^\[\]\n]*)\]\((?P<address>[^()\s]+)(?:[ ]\"[^\"\n]*\")?\)")
TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]{0,20}(?:[ ][^<>\n]{0,300})?/?>|<!--[^\n<]{0,2000}?-->")
ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
STRONG = re.compile(r"(\*{1,3}|~~|(?<!\w)_{1,3})(?=\S)(?P<text>[^*~\n]{1,200}?)(?<=\S)\1(?!\w)")
CODE = re.compile(r"`+(?P<text>[^`\n]+)`+")


def strip_markup(draft: Draft) -> None:
    """Remove the marks; the marked text stays."""
    if re.search(r"[<&\[*_`#~|>=-]|^[ ]*\d+[.)] ", draft.text, re.MULTILINE) is None:
        return
    draft.remove(FENCE, "", "The kind of a code block")
    draft.rewrite(TABLE_LINE, lambda match: "")
    draft.rewrite(RULE_LINE, lambda match: "")
    draft.remove(TAG, " ", "A tag of HTML")
    draft.rewrite(ENTITY, _entity)
    for match in IMAGE_OR_LINK.finditer(draft.text):
        draft.notice(match, "The address behind a link is not read aloud.")
    draft.unwrap(IMAGE_OR_LINK, "text")
    draft.rewrite(HEADING_END, lambda match: "")
    draft.rewrite(HEADING, lambda match: ITEM)
    draft.remove(BULLET, ITEM, "The mark of a list")
    draft.rewrite(NUMBERED, lambda match: f"{ITEM}{match['digits']}, ")
    draft.unwrap(STRONG, "text")
    draft.unwrap(CODE, "text")


def _entity(match: re.Match[str]) -> str | None:
    spoken = html.unescape(match[0])
    return None if spoken == match[0] else spoken
