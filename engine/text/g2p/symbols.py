"""Converts signs to words, and reduces punctuation to the few forms that affect the melody.

A run of stops, dashes, quotation marks and brackets between two words counts as one pause: “Oh!—no”, “him,—and” and
“Really?!?”. It is reduced to its strongest stop, with the marks that close before it and open after it, and a space, so
that no sign sticks to a word.
"""

from __future__ import annotations

import re

from engine.text.g2p.draft import Rule, rule
from engine.text.g2p.overrides import CAPITAL, PLACEHOLDERS
from engine.text.languages import Language

STRENGTHS = {"—": 1, ",": 2, ";": 2, ":": 2, ".": 3, "…": 3, "!": 4, "?": 5}
"""The strengths of stops; of equal ones the first is left: “;,” is a semicolon."""
OPENING = "(“"
CLOSING = {")": "(", "”": "“"}
ABBREVIATING = re.compile(r"\.[ ]?[,;:]")
"""An abbreviation's dot, which a further stop follows: “Esqr., and”."""
SIGNS = f"{''.join(STRENGTHS)}()“”"
DOTTED_BEFORE = re.compile(r"[A-Za-z]+(?:\.[A-Za-z]+)*\Z")
DOTTED_AHEAD = re.compile(r"[A-Za-z]+(?:\.[A-Za-z]+)*")
MAX_DOTTED = 40
INITIAL_AHEAD = re.compile(r"(?<=[A-Za-z]\.)[A-Za-z]")
MAX_SPELLED = 2
"""The most letters between the dots of a spelled word: “U.S”, “Ph.D”."""


def _between(match: re.Match[str], language: Language) -> str | None:
    if match[0] == "." and INITIAL_AHEAD.match(match.string, match.end()):
        return None
    return None if (left := _left(match)) == match[0] else left


def _left(match: re.Match[str]) -> str:
    """Reduce a run of signs; at a line start no stop but an ellipsis is left, at a line end no opening mark."""
    run, text = match[0], match.string
    before, after = text[match.start() - 1 : match.start()].strip(), text[match.end() : match.end() + 1].strip()
    stop, closing, opening = _reduced(run)
    if not before:
        return "".join(opening) if stop != "…" or not after else "".join(opening) + stop
    if not after:
        return closing
    if opening:
        return f"{closing} {''.join(opening)}"
    if closing.endswith("—") and " — " in run:
        return f"{closing[:-1]} — "
    glued = closing in ("—", "…") and not run.endswith(" ") and before.isalnum()
    return closing if glued else f"{closing} "


def _reduced(run: str) -> tuple[str, str, list[str]]:
    """Return the stop of a run, if any, the closing marks with the stop among them, and the opening marks."""
    stop, place = "", 0
    closing: list[str] = []
    opening: list[str] = []
    for index, sign in enumerate(run):
        if sign in OPENING:
            opening.append(sign)
        elif sign in CLOSING:
            if opening and opening[-1] == CLOSING[sign]:
                opening.pop()  # nothing is inside
            else:
                closing.append(sign)
        elif STRENGTHS.get(sign, 0) > STRENGTHS.get(stop, 0) and not ABBREVIATING.match(run, index):
            stop, place = sign, len(closing)
    return stop, "".join((*closing[:place], stop, *closing[place:])), opening


def _inner_dot(match: re.Match[str], language: Language) -> str | None:
    """Read an inner dot: “end.The” has lost a space, “J.K.Rowling” never had one, “foo.bar” is a name.

    “U.S” is spelled later.
    """
    text, start, end = match.string, match.start(), match.end()
    whole = (
        DOTTED_BEFORE.search(text, max(0, start - MAX_DOTTED), start),
        DOTTED_AHEAD.match(text, end, end + MAX_DOTTED),
    )
    before, after = (dotted[0] if dotted else "" for dotted in whole)
    if max(map(len, (*before.split("."), *after.split(".")))) <= MAX_SPELLED:
        return None
    if not after[0].isupper():
        return " dot "
    return " " if len(before.rpartition(".")[2]) == 1 else ". "


STOP_RULES = (
    rule(r"\.(?<=[A-Za-z]\.)(?=[A-Za-z])", _inner_dot),
    rule(rf"[ {SIGNS}](?:(?<=[{SIGNS}])|(?=[{SIGNS}]))[ {SIGNS}]*", _between),
)


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
"""A sign repeated at least this often is a drawing, not a word."""
ELISIONS = (
    "em|til|cause|tis|twas|round|bout|fraid|neath|twere|twill|twould|gainst|mongst|pon|tween|twixt|nother|un|cept"
)
ENDINGS = "n|d|ll|s|m"
ELIDED = {"th": "the", "wi": "with", "thro": "through", "tho": "though", "altho": "although"}
"""Words whose apostrophe replaces their end, in forms such as “th'” that the lexicon lacks."""
STUTTERED = re.compile(r"(?<![\w'-])(?:(?=[a-z])|(?<!\w[ ]))(?P<first>[B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]{1,2})\Z")
SENTENCE_BEFORE = re.compile(r"(?:^|\n|[.!?…][”\"]?[ ])[“\"]?\Z")


def _name(match: re.Match[str], language: Language) -> str:
    drawn = len(match[0]) >= DRAWN and match["sign"] != "&" and not match["sign"].isalpha()
    return " " if drawn else f" {NAMES[match['sign']]} "


def _quote(match: re.Match[str], language: Language) -> str:
    """Convert a straight quotation mark: it opens after white space or an opening bracket and closes elsewhere."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else " "
    return "“" if before in " \n(—-“'" else "”"


def _becomes(spoken: str, pattern: str) -> Rule:
    return rule(pattern, lambda match, language: spoken)


def _dash(match: re.Match[str], language: Language) -> str:
    """Return a dash, with spaces if it had them on both sides."""
    return " — " if match[0].startswith(" ") and match[0].endswith(" ") else "—"


def _about(match: re.Match[str], language: Language) -> str:
    """Return “about” as a separate word, also directly after a full stop."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    return match["about"] or (" about " if before in {*".!?…,;:"} else "about ")


def _elision(match: re.Match[str], language: Language) -> str:
    """Return an elision in lowercase, as in the lexicon."""
    return f"'{match['word'].lower()}"


def _elided(match: re.Match[str], language: Language) -> str | None:
    whole = ELIDED.get(match["word"].lower())
    if whole is None or match.string[match.start() - 1 : match.start()].isalnum():
        return None
    return f"{whole.capitalize() if match['word'][0].isupper() else whole} "


def _ornament(match: re.Match[str], language: Language) -> str | None:
    """Drop “oOo” between two scenes, a drawing; “Ooo” and “OOO” are spoken."""
    before = match.string[match.start() - 1 : match.start()]
    return " " if not match[0].islower() and match[0][0] == "o" and not before.isalnum() else None


def _broken_off(match: re.Match[str], language: Language) -> str | None:
    """Read a stutter with a dash or dots: “W—what”, but not “plan B—but”."""
    text, start, end = match.string, match.start(), match.end()
    first = STUTTERED.search(text, max(0, start - 4), start)
    return "-" if first and text[end : end + 3].lower().startswith(first["first"].lower()) else None


def _stutter(match: re.Match[str], language: Language) -> str | None:
    """Shorten a long stutter, so that it stays one word."""
    first = match["more"].partition("-")[0]
    before = match.string[match.start() - len(first) : match.start()]
    same = {part.lower() for part in match["more"].split("-")} == {first.lower(), ""}
    return f"-{first}-" if same and before.lower() == first.lower() else None


def _remark(match: re.Match[str], language: Language) -> str | None:
    """Make “[Laughter] He” a separate sentence."""
    before = match.string[max(0, match.start() - 3) : match.start()]
    return f"{match['remark']}." if SENTENCE_BEFORE.search(before) else None


def _initials(match: re.Match[str], language: Language) -> str:
    """Read “AT&T” letter by letter: dots make misaki spell."""
    before, after = (".".join(match[group]) for group in ("before", "after"))
    return f"{before} and {after}"


SIGN = "[" + re.escape("".join(NAMES)) + "]"
RULES = (
    rule(r"[oO0]{3,}\b", _ornament),
    _becomes("he or she", r"\(s\)he\b"),
    _becomes("he or she", r"s/he\b(?<!\w....)"),
    rule(r"\((?<=[a-z].)(?P<plural>e?s|ies)\)", lambda match, language: match["plural"]),
    rule(r"(?:--+|—|–|…|\.{3,})[ ]?(?=[A-Za-z])", _broken_off),
    rule(r"-(?P<more>(?:[A-Za-z]{1,2}-){2,})", _stutter),
    _becomes("dot ", r"(?<![^\s(“])\.(?=[a-z]{2,5}\b|[A-Z]{2,}\b)"),
    _becomes(" sections ", "§§"),
    _becomes(" paragraphs ", "¶¶"),
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
    rule(rf"\((?P<remark>[A-Z][^()\n]*[A-Za-z])\)(?=[”\"]?[ ][“\"]?{CAPITAL})", _remark),
    _becomes(", ", r"[ ]?(?:[|•]+[ ]?)+"),
    rule(r"\"", _quote),
    _becomes("…", r"\.(?:[ ]?\.)+|…(?:[ ]?[.…])+"),
    _becomes(" ", r"[-=_*~]{4,}"),
    rule(r"[ ]?(?:-{2,}|—|–)(?:[ ]?[-—–])*[ ]?|[ ]-+(?:[ ]|$)", _dash),
    _becomes("-", rf"(?<=[\w{PLACEHOLDERS}])-(?=[\w{PLACEHOLDERS}])"),
    _becomes(" ", rf"(?<![\w{PLACEHOLDERS}])-+|-+(?![\w{PLACEHOLDERS}])"),
    rule(rf"'(?<!\w')(?P<word>(?i:{ELISIONS}))\b", _elision),
    rule(r"(?P<word>[TtWwAa][a-z]{1,4})'[ ]?(?=\w)", _elided),
    _becomes(
        "",
        rf"'(?:(?<!\w')'*(?!(?:{ELISIONS}|{ENDINGS})\b)|(?<![snSN]')(?<!\b[Oo]')'*(?!\w)|(?<=\w')'+)",
    ),
    _becomes(" ", rf"[^A-Za-z0-9 \n'.,!?;:—…“”(){PLACEHOLDERS}-]+"),
    _becomes(" ", r"[ ]{2,}"),
    *STOP_RULES,
    _becomes("\n", r"[ ]*\n[ \n]*"),
)
