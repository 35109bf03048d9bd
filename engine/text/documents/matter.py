"""Recognizes front and back matter by titles, and the header and license of Project Gutenberg."""

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
"""Names of front and back matter in attributes and in a book's list of parts."""
_BEGINS_TEXT = re.compile(r"\*\*\*\s*START OF (?:TH(?:E|IS) )?PROJECT GUTENBERG", re.IGNORECASE)
_ENDS_TEXT = re.compile(r"\*\*\*\s*END OF (?:TH(?:E|IS) )?PROJECT GUTENBERG", re.IGNORECASE)
_BEGINS_LICENSE = re.compile(r"END OF (?:TH(?:E|IS) )?PROJECT GUTENBERG", re.IGNORECASE)
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
    """A text between its header and its footer."""

    before: str
    text: str
    after: str


def matter_of_title(title: str) -> Matter:
    """Return the role of a chapter by its title; `Matter.TEXT` by default."""
    plain = " ".join(_SIGNS.sub(" ", title).replace("’", "'").casefold().split())
    return next((matter for pattern, matter in _KINDS if pattern.fullmatch(plain)), Matter.TEXT)


def matter_of_kinds(kinds: Iterable[str]) -> Matter | None:
    """Return the matter of a part with these kinds; None if they do not determine it."""
    named = [kind.lower() for kind in kinds]
    if any(kind in _FRONT_KINDS for kind in named):
        return Matter.FRONT
    return Matter.BACK if any(kind in _BACK_KINDS for kind in named) else None


def begins_text(text: str) -> bool:
    """Return whether a paragraph contains the line after which the text of a Gutenberg file begins."""
    return _BEGINS_TEXT.search(text) is not None


def ends_text(text: str) -> bool:
    """Return whether a paragraph contains the line before which the text of a Gutenberg file ends."""
    return _ENDS_TEXT.search(text) is not None


def begins_license(text: str) -> bool:
    """Return whether a paragraph before that line also announces the end."""
    return _BEGINS_LICENSE.match(text) is not None


def names_producer(text: str) -> bool:
    """Return whether a paragraph names the producer of the file."""
    return _PRODUCER.match(text) is not None


def framed(text: str) -> Framed:
    """Separate a text from the header and the license of Project Gutenberg, if it has these."""
    start = _START.search(text)
    begin = start.end() if start else 0
    end = _END.search(text, begin)
    finish = end.start() if end else len(text)
    return Framed(text[: start.start()] if start else "", text[begin:finish], _MARKER.sub("", text[finish:], count=1))


def heading_of_file(before: str, name: str) -> str:
    """Return a field of a Gutenberg header, such as the title; empty if missing."""
    found = re.search(rf"^{name}:[ \t]*(\S.*)$", before, re.MULTILINE)
    return found[1].strip() if found else ""


def is_about_making(paragraph: str) -> bool:
    """Return whether a paragraph before the text is about the making of the file."""
    return _MAKERS.match(paragraph.strip().lstrip("[_")) is not None
