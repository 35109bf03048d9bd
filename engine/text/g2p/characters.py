"""Reduces Unicode to the characters of written English: quotes, dashes, accents, other scripts, emoji.

Digits, units and plain symbols are left for later rules.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from engine.text.g2p.draft import Draft
from engine.text.g2p.overrides import PLACEHOLDERS

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon "
    "phi chi psi omega"
)
_GREEK = "a v g d e z i th i k l m n x o p r s s t y f ch ps o"
_RUSSIAN = "a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya"
_OTHER_CYRILLIC = "i yi ye g w dj y ly ny ch dzh gy ky dz"
GREEK_LETTERS = {chr(0x3B1 + index): name for index, name in enumerate(_GREEK_NAMES.split())}
"""Names of the lowercase letters, including both forms of sigma."""
LATIN_FOR_GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", _GREEK.split(), strict=True))
LATIN_FOR_CYRILLIC = dict(
    zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўђјљњћџѓќѕ", f"{_RUSSIAN} {_OTHER_CYRILLIC}".split(), strict=True)
)
LATIN_LETTERS = {**LATIN_FOR_GREEK, **LATIN_FOR_CYRILLIC, "ъ": "", "ь": ""}
TRANSLITERABLE = re.compile("[\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f]")
SCRIPT_NAMES = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "KATAKANA-HIRAGANA": "Japanese",
    "HANGUL": "Korean",
}
LINE_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]+")
SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")
DAMAGED = re.compile("[\ud800-\udfff\ufffd-\uffff]+")
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
"""Zero-width, soft and directional characters and variation selectors."""
ORNAMENT = (
    "[\u2619\u2722-\u2727\u2729-\u2732\u2735-\u2743\u2745\u2746\u2748-\u274b\u2756\u2758-\u2762\u2765-\u2767"
    "\U0001f650-\U0001f67f]"
)
"""Printers' flowers, stars and leaves, which have no meaning."""
ORNAMENTS = re.compile(f"{ORNAMENT}+")
MEANT = f"&{PLACEHOLDERS}\u2705\u2713-\u2718\u274c"
"""Ticks and crosses, which have a meaning even if they stand alone."""
DRAWN_LINE = re.compile(
    rf"^[^\S\n]*(?:(?:[^\w\s\x00-\x1f{MEANT}\ud800-\udfff\ufffd-\uffff\U0001f000-\U0001faff]|{ORNAMENT})[^\S\n]*)+$",
    re.MULTILINE,
)
"""A line of signs that separates the text above from the text below; a line of emoji is spoken."""
TYPED_APOSTROPHE = re.compile(
    r"[`′](?:(?<=[A-Za-z].)(?=(?:t|s|d|m|ll|re|ve)\b(?!`))|(?<![\w`].)(?=(?:tis|twas|twere|twill|twould|em)\b))",
    re.IGNORECASE,
)
COMBINED = re.compile("(?P<letter>[A-Za-z])[\u0300-\u036f]+")
TYPOGRAPHY = {
    **dict.fromkeys("‘’‚‛ʼʹ`´", "'"),
    **dict.fromkeys("“„«「『〝《〈〞", "“"),
    **dict.fromkeys("”‟»」』〟》〉", "”"),
    **dict.fromkeys("‐‑⁃−", "-"),
    **dict.fromkeys("―⸺⸻〜～", "—"),
    **dict.fromkeys("。｡", ". "),
    **dict.fromkeys("、，､،", ", "),
    **dict.fromkeys("！", "! "),
    **dict.fromkeys("？؟", "? "),
    **dict.fromkeys("·⋅‧・∙◦▪▫●○■□►▶‣", "•"),
    "‒": "–", "‥": "…", "⋯": "…", "：": ": ", "；": "; ", "（": " (", "）": ") ", "【": " (", "】": ") ", "⁄": "/",
    "™": " trademark ", "®": " registered ", "©": " copyright ", "℠": "", "¿": "", "¡": "", "ª": "a", "º": "°",
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D",
    "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H", "ı": "i", "ĸ": "k",
    "ŋ": "ng", "Ŋ": "Ng", "ŧ": "t", "Ŧ": "T", "ſ": "s", "ƒ": "f", "ə": "uh", "µ": "μ", "Ω": "Ω",
}  # fmt: skip
KEPT = "–—…“”′″°€£¥₹₩₽₪₴₺฿₦₱₫₿¢§¶×÷±≈≠≤≥√∞→←↔⇒•Ωμ‰№½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
"""Characters that are left for the rules on symbols, units and numbers."""
EXOTIC = re.compile(f"[^\\x00-\\x7f{KEPT}{PLACEHOLDERS}]")
EXOTIC_RUN = re.compile(f"{EXOTIC.pattern}+(?:[ ]+{EXOTIC.pattern}+)*")
LATIN_NAME = re.compile(r"LATIN (?P<case>SMALL|CAPITAL) LETTER (?:[A-Z]{2,} )*(?P<letter>[A-Z])\b")
TRANSLITERABLE_RUN = re.compile(f"{TRANSLITERABLE.pattern}+(?:[ '-]{TRANSLITERABLE.pattern}+)*")
FLAG = re.compile("([\U0001f1e6-\U0001f1ff])([\U0001f1e6-\U0001f1ff])")
FLAG_A = 0x1F1E6
SILENT_EMOJI = re.compile("[\U0001f3fb-\U0001f3ff\u20e3]+")
EMOJI = "[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
EMOJI_RUN = re.compile(f"{EMOJI}(?:[ ]?{EMOJI})*")
EMOJI_SPOKEN = 3
"""The most distinct emoji in a row that are spoken."""
NOISE_IN_NAMES = re.compile(r" ?\b(?:MUSIC|SIGN|SYMBOL|HEAVY|BLACK|WHITE|EMOJI|OPEN MOUTH AND)\b")


def script_name(character: str) -> str:
    """Return the name of a letter's writing system; empty for anything but a letter."""
    if not character.isalpha():
        return ""
    first = unicodedata.name(character, "").split(" ")[0]
    return SCRIPT_NAMES.get(first, first.capitalize())


def transliterated(text: str) -> str:
    """Transliterate Greek and Cyrillic letters to Latin ones; other letters are left out."""
    return "".join(_latin(character) for character in unicodedata.normalize("NFC", text))


def _latin(character: str) -> str:
    if character.isascii():
        return character
    small = character.lower()
    plain = unicodedata.normalize("NFD", small)[0]
    latin = LATIN_LETTERS.get(small, LATIN_LETTERS.get(plain, ""))
    return latin.capitalize() if small != character else latin


def blank_drawn_lines(draft: Draft) -> None:
    """Replace drawn lines, such as “* * *”, “❦” and “~~~”, by blank lines."""
    draft.rewrite(DRAWN_LINE, lambda match: "")


def simplify(draft: Draft) -> None:
    """Leave only ASCII, the symbols in `KEPT` and white space, with a notice for any other character removed."""
    draft.rewrite(LINE_BREAK, lambda match: "\n")
    draft.rewrite(CONTROL, lambda match: "")
    draft.rewrite(SPACES, lambda match: " ")
    draft.rewrite(TYPED_APOSTROPHE, lambda match: "'")
    if draft.text.isascii():
        return
    draft.leave_out(DAMAGED, lambda match: "A damaged character")
    draft.rewrite(INVISIBLE, lambda match: "")
    draft.rewrite(COMBINED, lambda match: match["letter"])
    draft.rewrite(EXOTIC, lambda match: simple_form(match[0]))
    draft.rewrite(TRANSLITERABLE_RUN, lambda match: _transliterated(draft, match), "characters")
    draft.rewrite(ORNAMENTS, lambda match: " ")
    draft.rewrite(FLAG, _flag, "characters")
    draft.rewrite(SILENT_EMOJI, lambda match: "")
    draft.rewrite(EMOJI_RUN, lambda match: _emoji(draft, match), "characters")
    draft.leave_out(EXOTIC_RUN, lambda match: _described(match[0]))
    draft.rewrite(SPACES, lambda match: " ")


@lru_cache(maxsize=4096)
def simple_form(character: str) -> str | None:
    """Return a character in plain text, or None: `é` becomes `e`, `ﬁ` becomes `fi`, `٣` becomes `3`."""
    if character in TYPOGRAPHY:
        return TYPOGRAPHY[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    parts = unicodedata.normalize("NFKD", character)
    base = "".join(TYPOGRAPHY.get(part, part) for part in parts if not unicodedata.combining(part))
    if base.strip() and all(part.isascii() or part in KEPT for part in base):
        return base
    name = LATIN_NAME.match(unicodedata.name(character, ""))
    if name is None:
        return None
    return name["letter"] if name["case"] == "CAPITAL" else name["letter"].lower()


def _transliterated(draft: Draft, match: re.Match[str]) -> str | None:
    """Return the name of a single Greek letter, or a transliteration of longer text; units stay."""
    written = match[0]
    if len(written) == 1 and written.lower() in GREEK_LETTERS:
        return None if written in KEPT else f" {GREEK_LETTERS[written.lower()]} "
    latin = transliterated(written)
    script = script_name(written[0]) or "foreign"
    draft.notice(match, f"“{shortened(written)}” is in {script} letters; it is read as “{shortened(latin)}”.")
    return latin


def _flag(match: re.Match[str]) -> str:
    letters = " ".join(chr(ord(letter) - FLAG_A + ord("A")) for letter in match.groups())
    return f" flag of {letters} "


def _emoji(draft: Draft, match: re.Match[str]) -> str | None:
    names = [emoji_name(character) for character in dict.fromkeys(match[0]) if character != " "]
    spoken = [name for name in names if name][:EMOJI_SPOKEN]
    if len(names) > len(spoken):
        draft.notice(match, f"Only {len(spoken)} of these {len(names)} emoji are read aloud.")
    return f" {', '.join(spoken)} " if spoken else " "


def emoji_name(character: str) -> str:
    """Return the Unicode name in plain words; empty for a character without one."""
    name = unicodedata.name(character, "")
    plain = NOISE_IN_NAMES.sub("", name).strip() or name
    return re.sub(r"[^a-z]+", " ", plain.lower()).strip()


def _described(run: str) -> str:
    scripts = dict.fromkeys(script for character in run if (script := script_name(character)))
    letters = f" in {' and '.join(scripts)} letters" if scripts else ""
    return f"“{shortened(run)}”{letters}"


def shortened(text: str, max_characters: int = 20) -> str:
    """Truncate a text for a message, with an ellipsis."""
    return text if len(text) <= max_characters else f"{text[: max_characters - 1]}…"
