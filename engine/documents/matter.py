"""Which chapters are not what a book was written for: known by their titles, in the languages that are spoken."""

from __future__ import annotations

import re

from engine.documents.document import Matter

_FRONT = (
    r"(?:table of )?contents|(?:half )?title(?: ?page)?|copyright(?: page| notice| information)?|imprint|frontispiece"
    r"|dedication|epigraph|(?:list of )?(?:illustrations|figures|tables|maps|plates)|also by .*|by the same author"
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
_KINDS = ((re.compile(_FRONT), Matter.FRONT), (re.compile(_BACK), Matter.BACK))
_SIGNS = re.compile(r"[^\w'’ ]+")


def matter_of_title(title: str) -> Matter:
    """What a chapter with this title is to its book; `Matter.TEXT` unless the title says otherwise."""
    plain = " ".join(_SIGNS.sub(" ", title).replace("’", "'").casefold().split())
    return next((matter for pattern, matter in _KINDS if pattern.fullmatch(plain)), Matter.TEXT)
