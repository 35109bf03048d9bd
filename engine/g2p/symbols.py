"""Signs that stand for words, and punctuation in the few forms that have a melody."""

from __future__ import annotations

import re

from engine.g2p import stops
from engine.g2p.draft import Rule, rule
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
ELISIONS = "em|til|cause|tis|twas|n|round|bout|fraid|neath|twere|twill|d|ll|s|m"


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


def _initials(match: re.Match[str], language: Language) -> str:
    """“AT&T” letter by letter: dots make misaki spell."""
    before, after = (".".join(match[group]) for group in ("before", "after"))
    return f"{before} and {after}"


SIGN = "[" + re.escape("".join(NAMES)) + "]"
RULES = (
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
    rule(r"(?P<about>\b[Aa]bout[ ])?(?<!\w)~(?=\w)", _about),
    rule(r"(?<![\w&])(?P<before>[A-Z]{2,3})&(?P<after>[A-Z]{1,3})(?![\w&])", _initials),
    rule(rf"(?P<sign>{SIGN})(?P=sign)*", _name),
    _becomes("(", r"[\[{]"),
    _becomes(")", r"[\]}]"),
    _becomes(", ", r"[ ]?(?:[|•]+[ ]?)+"),
    rule(r"\"", _quote),
    _becomes("…", r"\.(?:[ ]?\.)+|…(?:[ ]?[.…])+"),
    _becomes(" ", r"[-=_*~]{4,}"),
    rule(r"[ ]?(?:-{2,}|—|–)(?:[ ]?[-—–])*[ ]?|[ ]-+(?:[ ]|$)", _dash),
    _becomes("-", r"(?<=[\w\ue000])-(?=[\w\ue000])"),
    _becomes(" ", r"(?<![\w\ue000])-+|-+(?![\w\ue000])"),
    _becomes("", rf"(?<!\w)'+(?!(?:{ELISIONS})\b)|(?<![snSN])'+(?!\w)|(?<=\w)'{{2,}}"),
    _becomes(" ", r"[^A-Za-z0-9 \n'.,!?;:—…“”()\ue000-]+"),
    _becomes(" ", r"[ ]{2,}"),
    *stops.RULES,
    _becomes("\n", r"[ ]*\n[ \n]*"),
)
