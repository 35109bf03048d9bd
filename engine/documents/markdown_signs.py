"""Signs of note-taking apps and pandoc that Markdown itself does not know, as a person sees them."""

from __future__ import annotations

import re
from collections import Counter

from engine.documents.tex import LOWERED, RAISED

_CODE = (
    r"(?P<code>^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ ]{0,3}(?P=fence)[`~]*[ \t]*$"
    r"|(?<!`)(?P<ticks>`++)[^\n`][^\n]{0,2000}?(?<!`)(?P=ticks)(?!`))"
)
_PRONUNCIATION = r"\[(?P<word>[^\[\]\n]+)\](?P<phonemes>\(/[^()\n\x80-\U0010ffff]*[^\x00-\x7f][^()\n]*/\))"
"""A word with its phonemes looks like a link; it is kept as it is."""
_COMMENT = r"(?P<comment>%%.{0,5000}?%%|\{>>.{0,1000}?<<\}|\{--.{0,1000}?--\})"
_CHANGED = r"\{~~(?:(?!~>).){0,500}?~>(?P<changed>.{0,500}?)~~\}"
_MARKED = (
    r"\{\+\+(?P<added>.{0,1000}?)\+\+\}|\{==(?P<noted>.{0,1000}?)==\}"
    r"|(?<![\w=])==(?P<bright>[^\s=](?:[^=\n]{0,500}[^\s=])?)==(?![\w=])"
    r"|(?<![\w+])\+\+(?P<under>[^\s+](?:[^+\n]{0,500}[^\s+])?)\+\+(?![\w+])"
)
_CONTENTS = r"(?P<contents>^[ \t]*(?i:\[\[_?toc_?\]\]|\[toc\])[ \t]*$)"
_LINK = r"(?P<embed>!?)\[\[(?P<page>[^\[\]|\n]{0,500})(?:\|(?P<shown>[^\[\]\n]{0,500}))?\]\]"
_CITATION = r"(?P<cite>[ \t]?\[(?:[^\[\]@\n]{0,200}[\s;-])?-?@[\w{][^\[\]\n]{0,500}\](?![(\[:]))"
_ATTRIBUTE = r"(?:[#.][\w:.-]+|[\w-]+=(?:\"[^\"\n]{0,200}\"|[\w.-]+))"
_ATTRIBUTES = rf"(?P<attributes>[ \t]?\{{(?:-|:?[ ]?{_ATTRIBUTE}(?:[ ][^{{}}\n]{{0,200}})?)\}})"
_LINES = r"(?P<line>^:{3,}[^\n]*$|^\\(?:newpage|pagebreak|clearpage)[ \t]*$|[ \t]\^[\w-]+[ \t]*$)"
_CALLOUT = r"(?P<quote>^[ \t]*(?:>[ \t]*)+)\[!(?P<type>[\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*(?P<title>[^\n]*)$"
_RAISED = r"(?<=\w)\^(?P<raised>[^\s^~*_]{1,20})\^|(?<=\w)(?<!~)~(?P<lowered>[^\s^~*_]{1,20})~(?!~)"
_SIGNS = re.compile(
    "|".join((
        _CODE, _PRONUNCIATION, _COMMENT, _CHANGED, _MARKED, _CONTENTS, _LINK, _CITATION, _ATTRIBUTES, _LINES, _CALLOUT,
        _RAISED,
    )),
    re.MULTILINE | re.DOTALL,
)  # fmt: skip
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|tiff?)\s*(?:#.*)?$", re.IGNORECASE)
_KEPT = ("changed", "added", "noted", "bright", "under")


def plain_markdown(text: str) -> tuple[str, list[str]]:
    """A text in which all signs are Markdown's own, and sentences about what is left out."""
    left_out: Counter[str] = Counter()
    first: dict[str, str] = {}

    def told(kind: str, what: str) -> str:
        left_out[kind] += 1
        first.setdefault(kind, what.strip())
        return ""

    def replaced(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        if match["word"] is not None:
            return f"\\[{match['word']}\\]{match['phonemes']}"
        if match["page"] is not None:
            if match["embed"]:
                return "" if _PICTURE.search(match["page"]) else told("embedded page", match[0])
            return match["shown"] or _page_name(match["page"])
        if match["cite"]:
            return told("reference to a source", match[0])
        if match["quote"]:
            return f"{match['quote']}{match['title'] or match['type'].capitalize()}\n{match['quote'].rstrip()}"
        if match["raised"] or match["lowered"]:
            return _above_or_below(match["raised"], match["lowered"])
        return next((_SIGNS.sub(replaced, match[name]) for name in _KEPT if match[name]), "")

    plain = _SIGNS.sub(replaced, text)
    return plain, [_sentence(kind, count, first[kind]) for kind, count in left_out.items()]


def _above_or_below(raised: str | None, lowered: str | None) -> str:
    """Digits in signs of their own, anything else in HTML."""
    text = raised or lowered or ""
    signs = text.translate(RAISED if raised else LOWERED)
    if not any(character in text for character in signs):
        return signs
    return f"<sup>{text}</sup>" if raised else f"<sub>{text}</sub>"


def _page_name(link: str) -> str:
    """What is shown of a link to a page, or to a part of it."""
    page, _, part = link.partition("#")
    name = page.rpartition("/")[2].strip()
    return ", ".join(filter(None, (name, part.lstrip("^#").replace("#", ", ").strip())))


def _sentence(kind: str, count: int, first: str) -> str:
    if count == 1:
        return f"One {kind} is left out: {first}"
    return f"{count:,} of this kind are left out, {kind}, the first: {first}"
