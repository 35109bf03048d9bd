"""Converts text in languages other than English: their letters, single spaces, and punctuation that Kokoro knows.

Numbers are left to the part that pronounces the language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from engine.text.g2p.characters import (
    CONTROL,
    DAMAGED,
    INVISIBLE,
    LINE_BREAK,
    SILENT_EMOJI,
    SPACES,
    TRANSLITERABLE_RUN,
    script_name,
    shortened,
    transliterated,
)
from engine.text.g2p.draft import Draft, any_of
from engine.text.g2p.markup import join_lines, strip_markup
from engine.text.g2p.normalize import Normalized
from engine.text.g2p.other_languages.numbering import LAST_WORD, Numbering, cardinal
from engine.text.g2p.other_languages.numerals import (
    in_case_of,
    lower_capitals,
    verbalize_ordinals,
    verbalize_quantities,
    verbalize_roman_numerals,
)
from engine.text.g2p.other_languages.writing import Writing
from engine.text.g2p.overrides import PLACEHOLDERS, Override, put_back, set_aside
from engine.text.languages import Language

VOWEL = "[aeiouhyœæàâèéêëìíîïòóôùúûAEIOUHYŒÀÂÈÉÊËÌÍÎÒÔÙ]"


def close_up(draft: Draft, writing: Writing) -> None:
    """Remove the space after an apostrophe, as in older books, and fuse words that are only known as one."""
    if writing.elided:
        elided = rf"(?<![\w'])(?P<elided>{writing.elided})'"
        draft.rewrite(re.compile(rf"{elided}[ ](?={VOWEL}|\d)", re.IGNORECASE), lambda match: match[0][:-1])
    for pattern in writing.fused:
        draft.rewrite(re.compile(pattern, re.IGNORECASE), _fused)


def verbalize_joined_numbers(draft: Draft, writing: Writing) -> None:
    """Convert numbers after an apostrophe to words: “l'8”."""
    if writing.elided:
        number = r"(?P<number>\d{1,3}(?:\.\d{3}){1,3}(?!\d)|\d{1,9}(?!\d))(?P<part>[.,:]\d{1,9}(?![\d.,:]))?"
        pattern = re.compile(rf"(?<![\w'])(?P<elided>{writing.elided})'{number}", re.IGNORECASE)
        draft.rewrite(pattern, partial(_joined_number, writing, draft.language), "numerals")


def _fused(match: re.Match[str]) -> str:
    """Return a fused word; the letter after the apostrophe is lowercase unless the word is in capitals."""
    first, letter = match["first"], match["letter"]
    return first + (letter if first.isupper() and len(match["elided"]) > 1 else letter.lower())


def _joined_number(writing: Writing, language: Language, match: re.Match[str]) -> str:
    words = cardinal(int(match["number"].replace(".", "")), language)
    part = match["part"] or ""
    if part:
        part = f" {writing.decimal_mark} {part[1:]}" if part[0] == "," else f" {part[1:]}"
    return f"{match['elided']}'{words}{part}"


IsSpoken = Callable[[str], bool]
PUNCTUATION = {
    **dict.fromkeys("‘’‚‛ʼʹ`´", "'"),
    **dict.fromkeys("„«‹「『《〈〝", "“"),
    **dict.fromkeys("”‟»›」』》〉〞〟", "”"),
    **dict.fromkeys("‐‑⁃−", "-"),
    **dict.fromkeys("–―⸺⸻〜～", "—"),
    **dict.fromkeys("。｡।॥॰", "."),
    **dict.fromkeys("、，､،", ","),
    **dict.fromkeys("[{（【", "("),
    **dict.fromkeys("]}）】", ")"),
    **dict.fromkeys("·‧・･•●○■□►▶‣|*_~^\\", " "),
    "！": "!", "？": "?", "؟": "?", "：": ":", "；": ";", "‥": "…", "⋯": "…", "¿": "", "¡": "",
}  # fmt: skip
AFTER_WIDE_MARK = re.compile(r"(?<=[。｡।॥、，､،！？：；）】」』》〉])(?=\S)")
BEFORE_WIDE_BRACKET = re.compile(r"(?<=\S)(?=[「『《〈（【])")
"""Signs without a space next to them, where Kokoro expects one."""
PUNCTUATION_MARK = re.compile("[" + re.escape("".join(PUNCTUATION)) + "]")
OPENING = re.compile(r"[¿¡][¿¡\s]*(?P<letter>[^\W\d_])")
"""The opening of a Spanish question or exclamation: the closing mark sets the melody, the letter keeps its offset."""
COMPOSED = re.compile("[^\\W\\d_](?:[\u0300-\u036f\u3099\u309a]+)")
COMPATIBLE = re.compile("[\uff01-\uffee\ufb00-\ufb06\U0001d400-\U0001d7ff\u3000]+")
"""Wide, narrow, joined and styled forms of plain characters."""
STRAIGHT_QUOTE = re.compile('"')
MAX_WORD_CHARACTERS = 45
LONG_WORD = re.compile(rf"[^\s{PLACEHOLDERS}]{{{MAX_WORD_CHARACTERS}}}(?=[^\s{PLACEHOLDERS}])")
"""A word too long for espeak-ng, whose word buffer is 160 bytes."""
PARAGRAPH_END = re.compile(r"[ ”)]*(?:\n|\Z)")
BEFORE_NO_NAME = frozenset(("etc", "ecc", "a. C", "d. C", "a.C", "d.C", "av. J.-C", "apr. J.-C"))
"""Abbreviations after which a capital begins a sentence."""
CAPITAL_FOLLOWS = re.compile(r"[ ”)]*(?:\n|\Z|[—“( ]*[A-ZÀ-ÖØ-Þ¿¡])")
NUMBER_FOLLOWS = re.compile(r"[ ]?(?:\d|[IVXLCivxlc]+(?!\w))")
AFTER_SENTENCE = re.compile(r"[.!?…][”)']*[ ]\Z")
INITIAL = re.compile(
    r"(?:(?<![\w.'-])|(?<=\.-))(?P<letter>[^\W\d_])\.(?:(?=[ ]?[^\W\d_]\.|[ ][^\W\d_]{2})|-(?=[^\W\d_]\.))"
)
ORNAMENT = re.compile("[©®™¶¦¬¯¤¸←-⇿■-◿♠-♧★☆✓-✘✦❦❧☙]+")
LONE_SIGN = re.compile(r"(?<!\S)[#@/=§°]+(?![\w#@/=§°]|[ ]\d)")
"""Signs that join or number nothing; espeak-ng would read their names."""
SLASHED = re.compile(r"(?<![\w./:@-])[^\W\d_]+(?:/[^\W\d_]+)+(?![\w/:@-]|\.\w)")
MARKS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
"""Accents and vowel signs, which belong to the letter before them.

A hyphen after anything but a word joins nothing, and espeak-ng crashes at one between a sign and Hindi letters.
"""
TIDIES = tuple(
    (re.compile(pattern), left)
    for pattern, left in (
        (r"\.(?:[ ]?\.)+|…(?:[ ]?[.…])+", "…"),
        (r"[ ]?(?:-{2,}|—)(?:[ ]?[-—])*[ ]?|[ ]-+(?:[ ]|$)", "—"),
        (rf"(?<![\w{MARKS}{PLACEHOLDERS}])-+", " "),
        (r"[ ]{2,}", " "),
        (r"[ ]+(?=[,.;:!?…)”])", ""),
        (r"(?<=[(“])[ ]+", ""),
        (r"(?<=[!?])[!?]+", ""),
        (r"(?<=[,;:])(?:[ ]?[,;:])+|[,;:](?=[.!?])", ""),
        (r"\([ ]*\)|“[ ]*”", ""),
        (r"[ ]*\n[ \n]*", "\n"),
        (r"\A[ ,;:.…—]+|[ ]+\Z", ""),
    )
)


def normalize_other(
    text: str, language: Language, writing: Writing, is_spoken: IsSpoken, overrides: Sequence[Override] = ()
) -> Normalized:
    """Convert a text to its spoken form; `is_spoken` returns whether the language has a word for a single symbol.

    The words of `overrides`, which are in order, stay as they are.
    """
    draft = Draft(text, language)
    given = set_aside(draft, overrides)
    _plain_characters(draft)
    strip_markup(draft)
    _own_letters(draft, writing)
    close_up(draft, writing)
    for form, spoken in writing.forms:
        draft.rewrite(re.compile(form), partial(_expanded, spoken))
    _own_symbols(draft, writing, is_spoken)
    join_lines(draft)
    _written_out(draft, writing)
    for pattern, left in TIDIES:
        draft.rewrite(pattern, partial(_always, left))
    if writing.spaced:
        draft.rewrite(LONG_WORD, lambda match: f"{match[0]} ")
    overrides = put_back(draft, given)
    return Normalized(draft.sourced, tuple(overrides), tuple(draft.notices))


def _plain_characters(draft: Draft) -> None:
    draft.rewrite(LINE_BREAK, lambda match: "\n")
    draft.rewrite(CONTROL, lambda match: "")
    draft.leave_out(DAMAGED, lambda match: "A damaged character")
    draft.rewrite(INVISIBLE, lambda match: "")
    draft.rewrite(SILENT_EMOJI, lambda match: "")
    draft.rewrite(COMPOSED, lambda match: unicodedata.normalize("NFC", match[0]))


def _own_letters(draft: Draft, writing: Writing) -> None:
    """Leave only punctuation that Kokoro knows and letters that the language knows."""
    draft.rewrite(OPENING, lambda match: match["letter"])
    for gap in (AFTER_WIDE_MARK, BEFORE_WIDE_BRACKET):
        draft.rewrite(gap, lambda match: " ")
    draft.rewrite(PUNCTUATION_MARK, lambda match: PUNCTUATION[match[0]])
    draft.rewrite(COMPATIBLE, lambda match: unicodedata.normalize("NFKC", match[0]))
    draft.rewrite(STRAIGHT_QUOTE, _quote)
    draft.rewrite(SPACES, lambda match: " ")
    draft.rewrite(TRANSLITERABLE_RUN, lambda match: _transliterated(draft, match))
    foreign = {letter for letter in set(draft.text) if letter.isalpha() and not _is_own(letter, writing)}
    if foreign:
        letters = "[" + re.escape("".join(sorted(foreign))) + "]+"
        draft.leave_out(re.compile(f"{letters}(?:[ ]{letters})*"), _described)


def _is_own(letter: str, writing: Writing) -> bool:
    return unicodedata.name(letter, "").split(" ")[0] in (*writing.scripts, "MODIFIER", "FEMININE", "MASCULINE")


def _own_symbols(draft: Draft, writing: Writing, is_spoken: IsSpoken) -> None:
    """Remove symbols and digits for which the language has no word."""
    draft.rewrite(ORNAMENT, lambda match: " ")
    symbols = set(filter(_is_symbol, draft.text)).difference(*writing.units)
    silent = [each for each in sorted(symbols) if not is_spoken(each)]
    if silent:
        pattern = "[" + re.escape("".join(silent)) + "]+"
        draft.leave_out(re.compile(pattern), lambda match: f"“{shortened(match[0])}”")


def _is_symbol(character: str) -> bool:
    """Return whether a character represents a word, unlike punctuation, currency signs and `+<>=`."""
    return unicodedata.category(character)[0] in "SN" and character not in "$€£¥₹+<>="


def _written_out(draft: Draft, writing: Writing) -> None:
    """Expand abbreviations, whose dots would end sentences, and convert signs next to numbers to words."""
    if writing.abbreviations:
        draft.rewrite(_abbreviations(writing), partial(_abbreviation, writing), "abbreviations")
    if writing.titles and writing.numbering:
        pattern = rf"(?<![\w.])(?P<title>{any_of(writing.titles)})(?:\.|(?<=ª))(?=[ ](?P<name>[^\W\d_]{{2,}}))"
        draft.rewrite(re.compile(pattern), partial(_title, writing.titles, writing.numbering), "abbreviations")
    if writing.numbering:
        verbalize_ordinals(draft, writing.numbering)
        verbalize_roman_numerals(draft, writing.numbering)
    verbalize_quantities(draft, writing)
    verbalize_joined_numbers(draft, writing)
    if writing.numbering:
        draft.rewrite(SLASHED, lambda match: match[0].replace("/", " "))
        draft.rewrite(LONE_SIGN, lambda match: " ")
    draft.rewrite(INITIAL, partial(_initial, writing.numbering))
    if writing.numbering:
        lower_capitals(draft, writing, writing.numbering)


def _abbreviations(writing: Writing) -> re.Pattern[str]:
    """Return a pattern for abbreviations, in capitals in headings; the last dot is optional if there is one inside."""
    shorts = _all_cases(writing)
    dotted = any_of(short for short in shorts if "." in short)
    optional = rf"|(?P<dotted>{dotted})(?!\w)" if dotted else ""
    bare = rf"|(?P<bare>{any_of(writing.bare)})(?=[ ][^\W\d_])" if writing.bare else ""
    return re.compile(rf"(?<![\w.])(?:(?P<short>{any_of(shorts)})\.(?!\w){optional}{bare})")


def _abbreviation(writing: Writing, match: re.Match[str]) -> str | None:
    """Return the expansion of an abbreviation, with its dot if that also ends a sentence."""
    short = next(filter(None, match.groups()))
    if short.lower() in writing.before_number and not NUMBER_FOLLOWS.match(match.string, match.end()):
        return None
    word = _capitalized(_all_cases(writing)[short], short, match)
    end = CAPITAL_FOLLOWS if short in BEFORE_NO_NAME else PARAGRAPH_END
    last = match["short"] and end.match(match.string, match.end())
    return f"{word}." if last else word


def _title(titles: Mapping[str, tuple[str, str]], numbering: Numbering, match: re.Match[str]) -> str | None:
    """Return the title before a name, for a man or a woman."""
    if not match["name"][0].isupper():
        return None
    man, woman = titles[match["title"]]
    word = woman if numbering.is_feminine_name(match["name"]) else man
    return in_case_of(match["name"], _capitalized(word, match["title"], match))


def _initial(numbering: Numbering | None, match: re.Match[str]) -> str | None:
    """Return an initial without its dot, unless the dot ends a sentence, as in “rayons X.”."""
    before = LAST_WORD.search(match.string[max(match.start() - MAX_WORD_CHARACTERS, 0) : match.start()])
    if match["letter"].islower() or (numbering and before and numbering.takes_letters(before["word"])):
        return None
    return f"{match['letter']} "


def _all_cases(writing: Writing) -> dict[str, str]:
    """Return the abbreviations, including their forms in headings and at the beginnings of sentences.

    Those of single letters or several words have different meanings there and are excluded.
    """
    cases: dict[str, str] = {}
    for short, word in writing.abbreviations.items():
        if len(short) > 1 and short.isalpha():
            cases |= {short.upper(): word.upper(), short.capitalize(): word}
    return {**cases, **writing.abbreviations}


def _capitalized(word: str, short: str, match: re.Match[str]) -> str:
    """Capitalize the word at the start of a sentence; a lowercase letter would hide the border before it."""
    if short[0].isupper() and AFTER_SENTENCE.search(match.string[max(match.start() - 4, 0) : match.start()]):
        return word[0].upper() + word[1:]
    return word


def _quote(match: re.Match[str]) -> str:
    """Convert a straight quotation mark: it opens after white space or an opening bracket and closes elsewhere."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else " "
    return "“" if before in " \n(—-“'" else "”"


def _transliterated(draft: Draft, match: re.Match[str]) -> str:
    latin = transliterated(match[0])
    script = script_name(match[0][0]) or "foreign"
    draft.notice(match, f"“{shortened(match[0])}” is in {script} letters; it is read as “{shortened(latin)}”.")
    return latin


def _described(match: re.Match[str]) -> str:
    return f"“{shortened(match[0])}” in {script_name(match[0][0]) or 'foreign'} letters"


def _expanded(template: str, match: re.Match[str]) -> str:
    return match.expand(template)


def _always(left: str, match: re.Match[str]) -> str:
    return left
