"""Addresses of pages, people and files, hashtags and handles as they are spoken, and emoticons, which are not."""

from __future__ import annotations

import re

from engine.g2p.draft import rule
from engine.languages import Language

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
    """Words and signs of an address, each sign by its name."""
    parts = re.split(r"([^A-Za-z0-9])", address)
    words = (SPELLED_PARTS.get(part.lower(), part) if part.isalnum() else SPOKEN_SIGNS.get(part, "") for part in parts)
    return " ".join(" ".join(words).split())


def _page(match: re.Match[str], language: Language) -> str | None:
    """A page without its protocol, which is not spoken."""
    return spell_address(match["rest"].rstrip("/")) or None


def _address(match: re.Match[str], language: Language) -> str:
    return spell_address(match[0])


def _hashtag(match: re.Match[str], language: Language) -> str:
    return f"hashtag {' '.join(HUMP.split(match['tag'].replace('_', ' ')))}"


def _handle(match: re.Match[str], language: Language) -> str:
    return f"at {' '.join(HUMP.split(match['name'].replace('_', ' underscore ')))}"


EMOTICON = rule(r"(?<!\S)(?:[:;]-?[()DPp]|xD)(?![\w(:])", lambda match, language: "")
"""It has to stand in the text as it was written: a letter that only looks like one of these is a word."""
PATH = r"[A-Za-z0-9._~:/?\#@!$&*+,;=%-]"
RULES = (
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
    rule(r"(?<![\w&])\#(?P<tag>[A-Za-z]\w{0,99})", _hashtag),
    rule(r"(?<![\w.])@(?P<name>[A-Za-z]\w{0,49})", _handle),
)
