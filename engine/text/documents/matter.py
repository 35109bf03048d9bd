"""What is around the text of a book: chapters that are known by their titles, and what Project Gutenberg adds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.text.documents.document import Matter

_FRONT = (
    r"(?:table of )?contents|(?:half ?)?title ?page|half ?title|imprint|frontispiece"
    r"|copyright(?: page| notice| information)?|dedication|epigraph"
    r"|(?:list of )?(?:illustrations|figures|tables|maps|plates)|also by .*|by the same author"
    r"|cover|couverture|page de titre|portad(?:a|illa)|copertina|frontespizio|capa|folha de rosto"
    r"|titelseite|表紙|封面|扉"
    r"|table des mati[eè]res|sommaire|mentions l[eé]gales|[íi]ndice(?: general)?|contenido|cr[eé]ditos|indice|sommario"
    r"|sum[aá]rio|conte[uú]do|inhalt(?:sverzeichnis)?|impressum|目录|目次|版权(?:页|信息)?|奥付"
)
_BACK = (
    r"index(?: of .*)?|(?:end|foot)?notes|notes (?:to|on) .*|(?:selected )?bibliography|works cited|references|glossary"
    r"|licen[cs]e|(?:the )?full (?:project gutenberg )?(?:tm )?licen[cs]e|(?:the )?project gutenberg.* licen[cs]e"
    r"|uncopyright|advertisements?|transcriber'?s'? (?:end ?)?notes?|colophon"
    r"|notes? de (?:bas de page|fin)|bibliograph(?:ie|ia)|bibliograf[íi]a|notas(?: (?:al pie|finales|de rodap[eé]))?"
    r"|note(?: a pi[eè] di pagina)?|anmerkungen|注释|注解|索引|参考文献"
)
_FRONT_KINDS = frozenset({
    "titlepage", "title-page", "halftitlepage", "halftitle", "half-title-page", "copyright-page", "copyright",
    "imprint", "toc", "doc-toc", "contents", "loi", "lot", "lof", "list-of-illustrations", "list-of-tables",
    "dedication", "doc-dedication", "cover", "doc-cover", "pg-header", "frontispiece",
})  # fmt: skip
_BACK_KINDS = frozenset({
    "index", "doc-index", "glossary", "doc-glossary", "bibliography", "doc-bibliography", "colophon", "doc-colophon",
    "endnotes", "doc-endnotes", "rearnotes", "pg-footer", "contributors", "other-credits",
})  # fmt: skip
"""What books and pages call their parts, in attributes and in the list of a book's parts."""
_BEGINS_TEXT = re.compile(r"\*\*\*\s*START OF (?:TH(?:E|IS) )?PROJECT GUTENBERG", re.IGNORECASE)
_ENDS_TEXT = re.compile(r"\*\*\*\s*END OF (?:TH(?:E|IS) )?PROJECT GUTENBERG", re.IGNORECASE)
_BEGINS_LICENCE = re.compile(r"END OF (?:TH(?:E|IS) )?PROJECT GUTENBERG", re.IGNORECASE)
_PRODUCER = re.compile(r"(?:produced|e-?text prepared|transcribed|scanned|digitized) (?:by|from)\b", re.IGNORECASE)
_START = re.compile(
    r"^\*{3}[ ]?START OF.{0,300}?\*{3}[ \t]*$|^\*END\*?[ ]?THE SMALL PRINT.*$", re.MULTILINE | re.DOTALL
)
_END = re.compile(r"^(?:\*{3}[ ]?END OF|End of (?:the |this )?Project Gutenberg)", re.MULTILINE | re.IGNORECASE)
_MARKER = re.compile(r"^\*{3}[ ]?END OF.{0,300}?\*{3}[ \t]*$", re.MULTILINE | re.DOTALL)
_MAKERS = re.compile(
    r"(?:produced|prepared|transcribed|e-?text (?:prepared|produced)|scanned|this (?:e-?book|e-?text) (?:was|is)"
    r"|(?:credits|language|release date|title|author):)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_KINDS = ((re.compile(_FRONT), Matter.FRONT), (re.compile(_BACK), Matter.BACK))
_SIGNS = re.compile(r"[^\w'’ ]+")


@dataclass(frozen=True)
class Framed:
    """A text between what was put before and after it."""

    before: str
    text: str
    after: str


def matter_of_title(title: str) -> Matter:
    """What a chapter with this title is to its book; `Matter.TEXT` unless the title says otherwise."""
    plain = " ".join(_SIGNS.sub(" ", title).replace("’", "'").casefold().split())
    return next((matter for pattern, matter in _KINDS if pattern.fullmatch(plain)), Matter.TEXT)


def matter_of_kinds(kinds: Iterable[str]) -> Matter | None:
    """What a part of a book or page that is of these kinds is to it; None if they do not tell."""
    named = [kind.lower() for kind in kinds]
    if any(kind in _FRONT_KINDS for kind in named):
        return Matter.FRONT
    return Matter.BACK if any(kind in _BACK_KINDS for kind in named) else None


def begins_text(text: str) -> bool:
    """Whether a paragraph is, or ends with, the line after which the text of a Gutenberg file begins."""
    return _BEGINS_TEXT.search(text) is not None


def ends_text(text: str) -> bool:
    """Whether a paragraph is, or holds, the line before which the text of a Gutenberg file ends."""
    return _ENDS_TEXT.search(text) is not None


def begins_licence(text: str) -> bool:
    """Whether a paragraph before that line says the same."""
    return _BEGINS_LICENCE.match(text) is not None


def tells_producer(text: str) -> bool:
    """Whether a paragraph says who made the file."""
    return _PRODUCER.match(text) is not None


def framed(text: str) -> Framed:
    """A text apart from the header and the licence of Project Gutenberg, if it has these."""
    start = _START.search(text)
    begin = start.end() if start else 0
    end = _END.search(text, begin)
    finish = end.start() if end else len(text)
    return Framed(text[: start.start()] if start else "", text[begin:finish], _MARKER.sub("", text[finish:], count=1))


def heading_of_file(before: str, name: str) -> str:
    """What the header of a book says of it, such as its title; empty if it does not."""
    found = re.search(rf"^{name}:[ \t]*(\S.*)$", before, re.MULTILINE)
    return found[1].strip() if found else ""


def is_about_making(paragraph: str) -> bool:
    """Whether a paragraph before the text tells who made the file."""
    return _MAKERS.match(paragraph.strip().lstrip("[_")) is not None
