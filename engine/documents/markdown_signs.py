"""Signs of note-taking apps and pandoc that Markdown itself does not know, as a person sees them."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.documents.notices import Notices, Omission
from engine.documents.raised import LOWERED, RAISED

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
_EMOJI = r"(?<![\w:]):(?P<emoji>[a-z][a-z0-9_]{1,30}):(?![\w:])"
_SIGNS = re.compile(
    "|".join((
        _CODE, _PRONUNCIATION, _COMMENT, _CHANGED, _MARKED, _CONTENTS, _LINK, _CITATION, _ATTRIBUTES, _LINES, _CALLOUT,
        _RAISED, _EMOJI,
    )),
    re.MULTILINE | re.DOTALL,
)  # fmt: skip
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|tiff?)\s*(?:#.*)?$", re.IGNORECASE)
_SOURCE = Omission("A citation is left out", "{} citations are left out")
_EMBEDDED = Omission("An embedded page is left out", "{} embedded pages are left out")
_KEPT = ("changed", "added", "noted", "bright", "under")


def plain_markdown(text: str, notices: Notices) -> str:
    """A text in which all signs are Markdown's own; `notices` are told what is left out."""
    return _SIGNS.sub(_View(notices).seen, text)


class _View:
    """What a person sees of signs; `notices` are told what is not seen."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices

    def seen(self, sign: re.Match[str]) -> str:
        """What is seen of a sign."""
        if sign["code"]:
            return sign[0]
        if sign["page"] is not None:
            return self._link(sign)
        if sign["cite"]:
            return self._leave_out(_SOURCE, sign)
        plain = next((show(sign) for name, show in _SHOWN.items() if sign[name]), None)
        if plain is not None:
            return plain
        return next((_SIGNS.sub(self.seen, sign[name]) for name in _KEPT if sign[name]), "")

    def _link(self, sign: re.Match[str]) -> str:
        if not sign["embed"]:
            return sign["shown"] or _page_name(sign["page"])
        return "" if _PICTURE.search(sign["page"]) else self._leave_out(_EMBEDDED, sign)

    def _leave_out(self, kind: Omission, sign: re.Match[str]) -> str:
        self._notices.tell(kind, f"“{sign[0].strip()}”")
        return ""


def _above_or_below(sign: re.Match[str]) -> str:
    """Digits as Unicode superscripts or subscripts, anything else as HTML."""
    text = sign["raised"] or sign["lowered"]
    signs = text.translate(RAISED if sign["raised"] else LOWERED)
    if not any(character in text for character in signs):
        return signs
    return f"<sup>{text}</sup>" if sign["raised"] else f"<sub>{text}</sub>"


def _callout(sign: re.Match[str]) -> str:
    return f"{sign['quote']}{sign['title'] or sign['type'].capitalize()}\n{sign['quote'].rstrip()}"


def _page_name(link: str) -> str:
    """What is shown of a link to a page, or to a part of it."""
    page, _, part = link.partition("#")
    name = page.rpartition("/")[2].strip()
    return ", ".join(filter(None, (name, part.lstrip("^#").replace("#", ", ").strip())))


_SHOWN: dict[str, Callable[[re.Match[str]], str]] = {
    "word": lambda sign: f"\\[{sign['word']}\\]{sign['phonemes']}",
    "quote": _callout,
    "raised": _above_or_below,
    "lowered": _above_or_below,
    "emoji": lambda sign: sign["emoji"].replace("_", " "),
}
