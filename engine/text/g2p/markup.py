"""Removes or verbalizes text written for the eye or for machines: markup, line breaks, addresses and emoticons.

Markup and emoticons are left out; web, e-mail and file addresses, hashtags and handles are put into words. A line break
ends a paragraph or a separate line, or is dropped if the text was only wrapped.
"""

from __future__ import annotations

import html
import re

from engine.text.g2p.draft import Draft, rule
from engine.text.languages import Language

ITEM = "\x01"
"""Inserted where an item of a list or a heading begins, when markup is removed."""
BREAK = re.compile(rf"[ ]*\n[\s{ITEM}]*")
STRAY_ITEM = re.compile(f"{ITEM}+[ ]*")
WRAPPED_CHARACTERS = 50
"""A line of at least this length counts as wrapped."""
STOPS = ".!?…"
PAUSES = ",;:—–("


def join_lines(draft: Draft) -> None:
    """Leave one line break between paragraphs and none inside, with punctuation where a line end replaced it."""
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
        draft.notice(match, "The address behind a link isn’t read aloud.")
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


SPOKEN_SIGNS = {
    ".": "dot",
    "/": "slash",
    ":": "colon",
    "-": "dash",
    "_": "underscore",
    "@": "at",
    "?": "question mark",
    "=": "equals",
    "&": "and",
    "#": "hash",
    "%": "percent",
    "+": "plus",
    "~": "tilde",
    "\\": "backslash",
}
KNOWN_ENDINGS = "com|org|net|io|dev|app|edu|gov|info|ai|me|tv|uk|de|fr|eu|us|ca|au|jp|ch|at|nl|se|in|co"
SPELLED_PARTS = {"www": "w w w", "http": "h t t p", "https": "h t t p s", "html": "h t m l", "php": "p h p"}
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


def spell_address(address: str) -> str:
    """Return the words and signs of an address, each sign by its name."""
    parts = re.split(r"([^A-Za-z0-9])", address)
    words = (SPELLED_PARTS.get(part.lower(), part) if part.isalnum() else SPOKEN_SIGNS.get(part, "") for part in parts)
    return " ".join(" ".join(words).split())


def _page(match: re.Match[str], language: Language) -> str | None:
    """Return a web address in words, without its protocol."""
    return spell_address(match["rest"].rstrip("/")) or None


def _address(match: re.Match[str], language: Language) -> str:
    return spell_address(match[0])


EMOTICON = rule(r"(?<!\S)(?:[:;]-?[()DPp]|xD)(?![\w(:])", lambda match, language: "")
"""Matched in the original text: a letter that only looks like one of these is a word."""
PATH = r"[A-Za-z0-9._~:/?\#@!$&*+,;=%-]"
WEB_RULES = (
    rule(r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b", _address),
    rule(rf"\b(?:https?|ftp|file)://(?P<rest>{PATH}*[A-Za-z0-9/])", _page),
    rule(rf"\b(?P<rest>www\.[A-Za-z0-9-]+\.{PATH}*[A-Za-z0-9/])", _page),
    rule(
        rf"(?<![\w.@-])(?P<rest>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:{KNOWN_ENDINGS})(?:/{PATH}*[A-Za-z0-9/]|(?![\w-])))",
        _page,
    ),
    rule(r"(?<![\w/.~])(?:~|\.{1,2})?(?:/[A-Za-z0-9_.-]*[A-Za-z0-9_-]){2,}/?", _address),
    rule(r"\b[A-Za-z]:\\[A-Za-z0-9_.\\-]*[A-Za-z0-9_-]", _address),
    rule(
        r"(?<![\w.])[A-Za-z0-9_-]{1,64}\.(?:py|js|ts|txt|pdf|md|html?|json|xml|csv|png|jpe?g|gif|mp[34]|wav|zip|exe|docx?"
        r"|xlsx?|cpp|rs|toml|yaml|yml|sh)\b",
        _address,
    ),
    rule(
        r"(?<![\w&])\#(?P<tag>[A-Za-z]\w{0,99})",
        lambda match, language: f"hashtag {' '.join(HUMP.split(match['tag'].replace('_', ' ')))}",
    ),
    rule(
        r"(?<![\w.])@(?P<name>[A-Za-z]\w{0,49})",
        lambda match, language: f"at {' '.join(HUMP.split(match['name'].replace('_', ' underscore ')))}",
    ),
)
