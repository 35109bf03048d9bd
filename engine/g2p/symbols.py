"""Signs that stand for words, and punctuation in the few forms that have a melody."""

from __future__ import annotations

import re

from engine.g2p import stops
from engine.g2p.draft import Rule, any_of, rule
from engine.languages import Language

NAMES = {
    "&": "and",
    "+": "plus",
    "=": "equals",
    "@": "at",
    "×": "times",
    "÷": "divided by",
    "±": "plus or minus",
    "≈": "approximately",
    "≠": "does not equal",
    "≤": "is at most",
    "≥": "is at least",
    "√": "square root of",
    "∞": "infinity",
    "→": "to",
    "⇒": "therefore",
    "↔": "to and from",
    "←": "from",
    "%": "percent",
    "‰": "per mille",
    "°": "degrees",
    "§": "section",
    "¶": "paragraph",
    "№": "number",
    "μ": "mu",
    "Ω": "omega",
    "$": "dollars",
    "£": "pounds",
    "€": "euros",
    "¥": "yen",
    "₹": "rupees",
    "¢": "cents",
    "₩": "won",
    "₽": "rubles",
    "₪": "shekels",
    "₴": "hryvnias",
    "₺": "lira",
    "฿": "baht",
    "₦": "naira",
    "₱": "pesos",
    "₫": "dong",
    "₿": "bitcoin",
}
DRAWN = 3
"""A sign that is repeated this often is a drawing, not a word."""
ELISIONS = (
    "em|til|cause|tis|twas|round|bout|fraid|neath|twere|twill|twould|gainst|mongst|pon|tween|twixt|nother|un|cept"
)
ENDINGS = "n|d|ll|s|m"
ELIDED = {"th": "the", "wi": "with", "thro": "through", "tho": "though", "altho": "although"}
"""Words whose apostrophe stands for their end, for which the lexicon has no “th'”."""
CONSONANTS = "B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z"


def _name(match: re.Match[str], language: Language) -> str:
    drawn = len(match[0]) >= DRAWN and match["sign"] != "&" and not match["sign"].isalpha()
    return " " if drawn else f" {NAMES[match['sign']]} "


def _quote(match: re.Match[str], language: Language) -> str:
    """A straight quotation mark opens after white space or an opening bracket and closes anywhere else."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else " "
    return "“" if before in " \n(—-“'" else "”"


def _becomes(spoken: str, pattern: str) -> Rule:
    return rule(pattern, lambda match, language: spoken)


def _dash(match: re.Match[str], language: Language) -> str:
    """With spaces if it had them on both sides."""
    return " — " if match[0].startswith(" ") and match[0].endswith(" ") else "—"


def _about(match: re.Match[str], language: Language) -> str:
    return match["about"] or "about "


def _elision(match: re.Match[str], language: Language) -> str:
    """In small letters, as the lexicon has it."""
    return f"'{match['word'].lower()}"


def _elided(match: re.Match[str], language: Language) -> str:
    whole = ELIDED[match["word"].lower()]
    return f"{whole.capitalize() if match['word'][0].isupper() else whole} "


def _ornament(match: re.Match[str], language: Language) -> str | None:
    """“oOo” between two scenes is drawn; “Ooo” and “OOO” are said."""
    return " " if not match[0].islower() and match[0][0] == "o" else None


def _remark(match: re.Match[str], language: Language) -> str:
    """“[Laughter] He” is a sentence of its own."""
    return f"{match['before']}{match['remark']}."


def _initials(match: re.Match[str], language: Language) -> str:
    """“AT&T” letter by letter: dots make misaki spell."""
    before, after = (".".join(match[group]) for group in ("before", "after"))
    return f"{before} and {after}"


SIGN = "[" + re.escape("".join(NAMES)) + "]"
RULES = (
    rule(r"\b[oO0]{3,}\b", _ornament),
    _becomes("he or she", r"(?<!\w)(?:\(s\)|s/)he\b"),
    rule(r"(?<=[a-z])\((?P<plural>e?s|ies)\)", lambda match, language: match["plural"]),
    rule(
        r"(?<![\w'-])(?:(?=[a-z])|(?<!\w[ ]))"
        rf"(?P<first>[{CONSONANTS}]{{1,2}})(?:-{{2,}}|—|–|…|\.{{3,}})[ ]?(?=(?i:(?P=first))[A-Za-z])",
        lambda match, language: f"{match['first']}-",
    ),
    rule(
        r"(?<![\w'-])(?P<first>[A-Za-z]{1,2})-(?:(?i:(?P=first))-){3,}(?=(?i:(?P=first)))",
        lambda match, language: "-".join((match["first"], match["first"], "")),
    ),
    _becomes("dot ", r"(?<![^\s(“])\.(?=[a-z]{2,5}\b|[A-Z]{2,}\b)"),
    _becomes("C plus plus", r"\b[Cc]\+\+(?!\w)"),
    rule(r"\b(?P<letter>[CFcf])\#(?!\w)", lambda match, language: f"{match['letter'].upper()} sharp"),
    _becomes(" to ", r"[ ]?(?:(?<!-)-+|(?<!=)=+)>[ ]?"),
    _becomes(" from ", r"[ ]?<-+[ ]"),
    _becomes(" is at most ", r"[ ]?<=[ ]?"),
    _becomes(" is at least ", r"[ ]?>=[ ]?"),
    _becomes(" does not equal ", r"[ ]?!=[ ]?"),
    _becomes(" less than ", r"(?:[ ]?<[ ]?(?=\w))"),
    _becomes(" greater than ", r"(?:[ ]?>[ ]?(?=\w))"),
    rule(r"(?P<about>\b[Aa]bout[ ])?(?<!\w)~(?=\w)(?![^~\n]*\w~(?!\w))", _about),
    rule(r"(?<![\w&])(?P<before>[A-Z]{2,3})&(?P<after>[A-Z]{1,3})(?![\w&])", _initials),
    rule(rf"(?P<sign>{SIGN})(?P=sign)*", _name),
    _becomes("(", r"[\[{]"),
    _becomes(")", r"[\]}]"),
    rule(
        r"(?P<before>(?:^|\n|[.!?…][”\")]*[ ])[“\"]?)\((?P<remark>[A-Z][^()\n]*[A-Za-z])\)(?=[”\"]?[ ][“\"]?[A-Z])",
        _remark,
    ),
    _becomes(", ", r"[ ]?(?:[|•]+[ ]?)+"),
    rule(r"\"", _quote),
    _becomes("…", r"\.(?:[ ]?\.)+|…(?:[ ]?[.…])+"),
    _becomes(" ", r"[-=_*~]{4,}"),
    rule(r"[ ]?(?:-{2,}|—|–)(?:[ ]?[-—–])*[ ]?|[ ]-+(?:[ ]|$)", _dash),
    _becomes("-", r"(?<=[\w\ue000])-(?=[\w\ue000])"),
    _becomes(" ", r"(?<![\w\ue000])-+|-+(?![\w\ue000])"),
    rule(rf"(?<!\w)'(?P<word>(?i:{ELISIONS}))\b", _elision),
    rule(rf"\b(?P<word>(?i:{any_of(ELIDED)}))'[ ]?(?=\w)", _elided),
    _becomes("", rf"(?<!\w)'+(?!(?:{ELISIONS}|{ENDINGS})\b)|(?<![snSN])(?<!\b[Oo])'+(?!\w)|(?<=\w)'{{2,}}"),
    _becomes(" ", r"[^A-Za-z0-9 \n'.,!?;:—…“”()\ue000-]+"),
    _becomes(" ", r"[ ]{2,}"),
    *stops.RULES,
    _becomes("\n", r"[ ]*\n[ \n]*"),
)
