"""Defines how each language writes and reads ordinals and Roman numerals, and converts its numbers to words.

Numbers are converted for French, Italian, Spanish and Portuguese: cardinals, and ordinals with their gender.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from engine.text.languages import FRENCH, ITALIAN, PORTUGUESE, SPANISH, Language

ALL = 10_000
LAST_WORD = re.compile(r"(?<!\w)(?P<word>[^\W\d_]+)(?P<end>[ \n']|\Z)\Z")
ELIDED_ARTICLES = "l|[dns]ell|[ds]all|all|sull"
JOINED_NUMERAL = "(?:[IVXLCDM]+|[ivxlcdm]{2,})[eoºª]?"


@dataclass(frozen=True)
class Suffix:
    """A suffix that makes a number an ordinal, as a pattern; `short` is the form before a noun.

    A pattern in `needs` has to follow, and `only` are the numbers that have the suffix.
    """

    pattern: str
    feminine: bool = False
    plural: bool = False
    short: bool = False
    roman: bool = True
    needs: str = ""
    only: tuple[int, ...] = ()
    word: str = ""


@dataclass(frozen=True)
class Numbering:
    """The reading of numerals in one language.

    After a name or a century, numbers up to `ordinals_to` are ordinals, after a part of a book those up to `parts_to`,
    and alone those up to `alone_to`; larger ones are cardinals. `masculine` and `feminine` are words for numbered
    things, the `determiners` those before an ordinal, `words` numerals that are also words. A single letter is a letter
    after one of the `letter_words`, an initial after a title of `persons`.
    """

    ordinals_to: int
    suffixes: tuple[Suffix, ...]
    century: str
    masculine: str
    feminine: str
    parts_to: int = 0
    alone_to: int = 0
    masculine_determiners: str = ""
    feminine_determiners: str = ""
    words: frozenset[str] = frozenset()
    particles: str = ""
    joiners: str = ""
    short: Mapping[str, str] = field(default_factory=dict)
    letter_words: str = ""
    persons: str = ""
    months: str = ""

    def is_century(self, word: str) -> bool:
        """Return whether a word means a century."""
        return _is(self.century, word)

    def is_month(self, word: str) -> bool:
        """Return whether a word is a month, so that a numeral before it is a day."""
        return _is(self.months, word)

    def part_gender(self, word: str) -> str | None:
        """Return the gender, m or f, of a word for a numbered thing, such as a part of a book; None for other words."""
        return "m" if _is(self.masculine, word) else "f" if _is(self.feminine, word) else None

    def is_particle(self, word: str) -> bool:
        """Return whether a word may follow a name with its numeral, and is not itself a name."""
        return _is(f"{self.particles}|{self.masculine_determiners}|{self.feminine_determiners}", word)

    def takes_letters(self, word: str) -> bool:
        """Return whether a single letter after a word is a letter that completes the term, such as “rayos X”."""
        return _is(self.letter_words, word)

    def is_title(self, word: str) -> bool:
        """Return whether a word is a title, after which a single letter is an initial."""
        return _is(self.persons, word)

    def is_feminine_name(self, name: str) -> bool:
        """Return whether a name is more likely that of a woman."""
        return _is(FEMININE_NAMES, name) or (name[-1:] in "aA" and not _is(MASCULINE_NAMES, name))

    def determiner(self, before: str) -> str | None:
        """Return the gender, m, f or elided, of the article that ends a text; None without an article."""
        found = LAST_WORD.search(before)
        if found is None:
            return None
        if found["end"] == "'":
            return "elided" if _is(ELIDED_ARTICLES, found["word"]) else None
        if _is(self.masculine_determiners, found["word"]):
            return "m"
        return "f" if _is(self.feminine_determiners, found["word"]) else None

    def first_of(self, before: str) -> str:
        """Return the text without the numerals at its end that are joined with the following one: “siglos XVI y ”."""
        return re.sub(rf"[ ](?:{JOINED_NUMERAL}(?:,?[ ](?:{self.joiners})[ ]|,[ ]|[ ]?[-—][ ]?))+\Z", " ", before)


def _is(pattern: str, word: str) -> bool:
    return bool(pattern) and re.fullmatch(pattern, word, re.IGNORECASE) is not None


WORD_FOLLOWS = r"(?=[ ][^\W\d_]{2})"
FEMININE_NAMES = (
    "isabel|[eé]lisabeth|elizabeth|beatri[zx]|b[eé]atrice|leonor|in[eéê]s|agnès|ir[eè]ne|math?ilde|clotilde|margrethe"
    "|marguerite|carmen|raquel|ester|ruth|conceição|carmo|pilar|mercedes|dolores|consuelo|b[eé]r[eé]nice|anne|marie"
    "|catherine|christine|amélie|joséphine|lurdes|lourdes"
)
MASCULINE_NAMES = "luca|andrea|nicola|battista|mattia|elia|tobia|geremia|borja|barba"
"""Masculine names whose ending does not reveal the gender."""

SPANISH_NUMBERING = Numbering(
    ordinals_to=10,
    suffixes=(
        Suffix(r"\.?º"), Suffix(r"\.?ª", feminine=True), Suffix(r"\.?°", needs=WORD_FOLLOWS, only=(1,)),
        Suffix(r"\.?(?:er|ᵉʳ)", short=True, roman=False, only=(1, 3)),
        Suffix(r"\.?(?:ro|do|to|mo|vo|no)", roman=False),
        Suffix(r"\.?(?:ra|da|ta|ma|va|na)", feminine=True, roman=False),
        Suffix("o", roman=False, needs=WORD_FOLLOWS), Suffix("a", feminine=True, roman=False, needs=WORD_FOLLOWS),
        Suffix(r"\.?(?:os|ᵒˢ|º\.?s)", plural=True, roman=False),
        Suffix(r"\.?(?:as|ᵃˢ|ª\.?s)", feminine=True, plural=True, roman=False),
    ),
    century="siglos?",
    masculine="capítulos?|libros?|tomos?|actos?|cantos?|cuadros?|volumen|volúmenes|apartados?|artículos?|títulos?"
    "|anexos?|apéndices?|tipos?|grados?|niveles|nivel|grupos?|módulos?",
    feminine="partes?|escenas?|jornadas?|secciones|sección|fases?|clases?|categorías?|tablas?|figuras?|láminas?",
    masculine_determiners="el|del|al|un|este|su",
    feminine_determiners="la|una|esta",
    words=frozenset(("VI", "DI", "MI", "LI")),
    particles="de|del|los|las|y|e|rey|emperador|papa",
    joiners="y|e|o|al?",
    short={"primero": "primer", "tercero": "tercer"},
    letter_words="rayos|generación|malcolm|planeta|modelo|factor|cromosoma|expediente",
    persons="señora?|don|doña",
)  # fmt: skip
FRENCH_NUMBERING = Numbering(
    ordinals_to=1,
    suffixes=(
        Suffix("(?:er|ER|ᵉʳ)", only=(1,)), Suffix("ers", plural=True, only=(1,)),
        Suffix("(?:re|ère|RE|ʳᵉ)", feminine=True, only=(1,)),
        Suffix("(?:res|ères)", feminine=True, plural=True, only=(1,)),
        Suffix("(?:nd|ⁿᵈ)", only=(2,), word="second"),
        Suffix("(?:nde|de|ⁿᵈᵉ|ᵈᵉ)", feminine=True, only=(2,), word="second"),
        Suffix("(?:nds)", plural=True, only=(2,), word="second"),
        Suffix("(?:i?[èe]me|e|è|ᵉ)"), Suffix("(?:i?[èe]mes|es|ᵉˢ)", plural=True),
        Suffix("E", needs="(?=[ ]SIÈCLES?)"),
    ),
    century="siècles?",
    masculine="chapitres?|livres?|tomes?|actes?|chants?|volumes?|articles?|titres?|tableaux?|types?|niveaux?|groupes?"
    "|appendices?",
    feminine="parties?|scènes?|sections?|phases?|classes?|catégories?|figures?|annexes?|planches?",
    words=frozenset(("DIX", "MIX", "DI", "MI", "LI", "CI")),
    particles="de|des|du|le|la|les|et|roi",
    joiners="et|ou|à|au",
    letter_words="rayons|génération|malcolm|planète|facteur|chromosome|dossier|film",
    persons="monsieur|madame|mademoiselle|docteur",
)  # fmt: skip
ITALIAN_NUMBERING = Numbering(
    ordinals_to=ALL,
    parts_to=ALL,
    alone_to=99,
    suffixes=(
        Suffix("º"), Suffix("ª", feminine=True), Suffix("°", needs=WORD_FOLLOWS),
        Suffix("esimo"), Suffix("esima", feminine=True),
    ),
    century="secol[oi]",
    masculine="capitol[oi]|libr[oi]|tom[oi]|att[oi]|cant[oi]|volum[ei]|articol[oi]|titol[oi]|tip[oi]|grad[oi]|livell[oi]"
    "|grupp[oi]|quadr[oi]",
    feminine="part[ei]|scen[ae]|sezion[ei]|fas[ei]|class[ei]|categori[ae]|figur[ae]|tabell[ae]|tavol[ae]|appendic[ei]",
    masculine_determiners="il|lo|del|dello|al|allo|nel|nello|dal|dallo|sul|un|questo|suo",
    feminine_determiners="la|della|alla|nella|dalla|sulla|una|questa",
    words=frozenset(("I", "VI", "DI", "MI", "LI", "CI")),
    particles="di|i|gli|le|e|ed|re|imperatore|papa",
    joiners="ed?|o|al?",
    letter_words="raggi|generazione|malcolm|pianeta|modello|fattore|cromosoma",
    persons="signora?|dottor",
    months="gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre",
)  # fmt: skip
PORTUGUESE_NUMBERING = Numbering(
    ordinals_to=10,
    suffixes=(
        Suffix(r"\.?º"), Suffix(r"\.?ª", feminine=True), Suffix(r"\.?ºs", plural=True),
        Suffix(r"\.?ªs", feminine=True, plural=True), Suffix("°", needs=WORD_FOLLOWS),
        Suffix("o", roman=False, needs=WORD_FOLLOWS), Suffix("a", feminine=True, roman=False, needs=WORD_FOLLOWS),
    ),
    century="séculos?",
    masculine="capítulos?|livros?|tomos?|[aá]tos?|actos?|cantos?|volumes?|artigos?|títulos?|anexos?|tipos?|graus?"
    "|n[íi]ve(?:l|is)|grupos?|quadros?|apêndices?",
    feminine="partes?|cenas?|seç(?:ão|ões)|secç(?:ão|ões)|fases?|classes?|categorias?|figuras?|tabelas?",
    masculine_determiners="o|do|ao|no|pelo|um|este|seu",
    feminine_determiners="a|da|à|na|pela|uma|esta",
    words=frozenset(("VI", "DI", "MI", "LI")),
    particles="de|dos|das|os|as|e|rei|imperador|papa",
    joiners="e|ou|ao?",
    letter_words="raios|geração|malcolm|planeta|modelo|fator|cromossomo|arquivo",
    persons="senhora?|dom|dona",
)  # fmt: skip


LIBRARY_NAMES = {FRENCH: "fr", ITALIAN: "it", SPANISH: "es", PORTUGUESE: "pt_BR"}
SPANISH_TEENS = {11: "undécimo", 12: "duodécimo"}
FEMININE_PARTS = {
    SPANISH: ((r"uno$", "una"), (r"ientos\b", "ientas")),
    PORTUGUESE: ((r"\bum$", "uma"), (r"\bdois$", "duas"), (r"entos\b", "entas")),
    ITALIAN: ((r"^uno$", "una"),),
    FRENCH: ((r"\bun$", "une"),),
}
MASCULINE_PARTS = {SPANISH: ((r"veintiuno$", "veintiún"), (r"\buno$", "un")), ITALIAN: ((r"^uno$", "un"),)}
"""Changes to the ends of cardinals before a noun."""


def cardinal(number: int, language: Language) -> str:
    """Return the cardinal as in counting."""
    words = _in_words(number, language, "cardinal")
    return words.replace("catorze", "quatorze") if language == PORTUGUESE else words  # as in Brazil


def counted(number: int, language: Language, feminine: bool) -> str:
    """Return the cardinal before a noun of this gender."""
    words = cardinal(number, language)
    for part, form in (FEMININE_PARTS if feminine else MASCULINE_PARTS).get(language, ()):
        words = re.sub(part, form, words)
    return words


def ordinal(number: int, language: Language, feminine: bool = False, plural: bool = False) -> str:
    """Return the ordinal."""
    masculine = _ORDINALS.get(language, _plain_ordinal)(number, language)
    ending = "s" if plural and language != ITALIAN else ""
    return _inflected(masculine, language, feminine) + ending


def _inflected(words: str, language: Language, feminine: bool) -> str:
    if not feminine:
        return words
    if language == FRENCH:
        return {"premier": "première", "second": "seconde"}.get(words, words)
    return re.sub(r"o\b", "a", words)


def _plain_ordinal(number: int, language: Language) -> str:
    return _in_words(number, language, "ordinal")


def _french_ordinal(number: int, language: Language) -> str:
    return _plain_ordinal(number, language).replace("vingtsième", "vingtième")


def _spanish_ordinal(number: int, language: Language) -> str:
    hundreds, rest = divmod(number, 100)
    if not 11 <= rest <= 19:
        return _plain_ordinal(number, language)
    teen = SPANISH_TEENS.get(rest) or f"decimo{_plain_ordinal(rest - 10, language)}"
    return f"{_plain_ordinal(hundreds * 100, language)} {teen}" if hundreds else teen


_ORDINALS: dict[Language, Callable[[int, Language], str]] = {FRENCH: _french_ordinal, SPANISH: _spanish_ordinal}


@cache
def _in_words(number: int, language: Language, form: str) -> str:
    from num2words import num2words

    return str(num2words(number, lang=LIBRARY_NAMES[language], to=form))
