"""Dots after letters: does one also end a sentence? “plan B. John”, but “J. A. Smith”; “5 p.m. He”, “the U.S. Army”."""

from __future__ import annotations

import re

from engine.g2p.draft import rule
from engine.languages import Language

SENTENCE_STARTERS = (
    "The|A|An|He|She|It|They|We|I|You|But|And|In|On|At|This|That|These|Those|However|When|If|There|His|Her|Its|Their"
    "|Our|My|As|After|Before|For|So|Then|What|Why|How|Who|No|Yes|Not|Some|Many|Most|All|One|Now|Your|Everyone"
    "|Everybody|Everything|Nobody|Nothing|None|Someone|Somebody|Something|Anyone|Each|Every|Both|Few|Several|Another"
    "|Although|Though|Because|Since|While|Until|Unless|Where|Whether|Which|Whose|Yet|Nor|Perhaps|Maybe|Once|Soon"
    "|Later|Here|Again|Never|Always|Suddenly|Finally|Meanwhile|Today|Yesterday|Tomorrow|Please|Thus|Therefore"
)
"""Words that no name begins with."""
SENTENCE_AHEAD = rf"(?:[ ][\"'“‘(]*(?:{SENTENCE_STARTERS})\b(?!\.)|[ ]*(?:\n|$))"
ENDS_SENTENCE = re.compile(rf"[”\"'’)]*{SENTENCE_AHEAD}")
AFTER_TIMES = (
    "Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
    "|[A-Z]{1,3}T\\b|UTC|Eastern|Central|Mountain|Pacific|Atlantic|Greenwich"
)
ENDS_FIRMLY = re.compile(rf"[”\"'’)]*(?:[ ][\"'“‘(]*(?!{AFTER_TIMES})[A-Z]|[ ]*(?:\n|$))")
"""What follows “p.m.” or “etc.” is part of no name, so that a capital is enough."""
FIRM = frozenset(("a.m", "p.m", "b.c", "a.d", "b.c.e", "c.e", "etc", "et cetera"))
LABELLED = re.compile(
    r"""\b(?:an?|answer|appendix|article|block|box|building|camp|case|category|chapter|choice|class|clause|column
    |company|deck|diagram|division|entrance|example|exhibit|factor|figure|flat|floor|gate|grade|group|hall|hepatitis
    |item|key|letters?|level|line|lot|major|minor|middle|model|note|option|page|part|phase|plan|platform|point|problem
    |product|question|route|row|schedule|seat|section|series|site|stage|step|table|team|terminal|theorem|type|unit
    |variable|version|vitamins?|wing|zone)[ ]\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""What has a letter behind it that is no initial."""
LONGEST_LABEL = 12


def stop_after(spoken: str, match: re.Match[str]) -> str:
    """The dot of an abbreviation that is spoken like this, which is kept if it also ends a sentence."""
    ends = ENDS_FIRMLY if spoken.lower() in FIRM else ENDS_SENTENCE
    return "." if ends.match(match.string, match.end()) else ""


def _letters(match: re.Match[str], language: Language) -> str:
    """“U.S.” keeps its inner dots, which make misaki spell it; “Ph.D.” gets one more."""
    parts = match["letters"].split(".")
    letters = match["letters"] if all(len(part) == 1 for part in parts) else ".".join("".join(parts).upper())
    return letters + stop_after(letters, match)


def _initials(match: re.Match[str], language: Language) -> str | None:
    """Those of a name, which are spelled like “U.S” where one of them would be the article."""
    if LABELLED.search(match.string, max(0, match.start() - LONGEST_LABEL), match.start()):
        return None
    letters = re.findall("[A-Z]", match[0])
    if letters == ["A"]:
        return None  # without its dot it would be the article
    return ".".join(letters) if len(letters) > 1 and "A" in letters else " ".join(letters)


RULES = (
    rule(r"(?<![\w.])(?P<letters>(?:[A-Za-z]{1,2}\.){1,6}[A-Z]|(?:[a-z]\.){1,6}[a-z])\.(?![A-Za-z])", _letters),
    rule(
        rf"(?<![\w.'])(?<![AP][ ])[A-HJ-Z]\.(?:[ ][A-HJ-Z]\.)*(?=[ ](?!(?:{SENTENCE_STARTERS})\b)[A-Z])",
        _initials,
    ),
)
