"""The rules under "Writing" in CONTRIBUTING.md that can be checked by pattern.

Each of `SOURCES` yields passages of files. Markdown is the only source; docstrings and strings of the code can be added
there.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pytest

from tests.architecture.documents import DOCUMENTS, LINK, ROOT, SPAN, prose_of


@dataclass(frozen=True)
class Passage:
    """A text, and the place of its first line; a line break counts as a space."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Rule:
    """Phrases that `pattern` finds, `advice` on what to write instead, and a phrase of each kind.

    A space in the pattern stands for any white space, and case is ignored.
    """

    pattern: str
    advice: str
    bad: str
    good: str

    def phrases_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Every phrase found, with the number of line breaks before it."""
        for found in re.finditer(self.pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
            yield text.count("\n", 0, found.start()), " ".join(found[0].split())


PASSIVE = r"(?:is|are|was|were|be|been|being|gets|got)"
RULES = {
    "another than": Rule(
        r"\b(?:another|something else|anything else)\b[^.;:|]{0,60}?\bthan\b",
        "Write “different from”, “other” or “new”.",
        "in another language than the voice's own",
        "in a language different from the voice's",
    ),
    "headless what": Rule(
        rf"\bwhat (?:{PASSIVE}|has been|had been|have been) \w*(?:ed|en|rd|de|pt|ght|id|own|ne|ung|wn)\b",
        "Replace the clause by a noun.",
        "what was heard goes first",
        "it decides what to speak",
    ),
    "heard": Rule(rf"\b{PASSIVE} (?:\w+ly )?heard\b", "Write “played” or “spoken”.", "it is heard", "it is played"),
    "made": Rule(
        rf"\b{PASSIVE} (?:\w+ly )?(?:being )?made(?! (?:of|from|up)\b)\b",
        "Write “generated”, “created” or “built”.",
        "speech is being made",
        "it is made of steel",
    ),
    "kept": Rule(
        rf"\b{PASSIVE} (?:\w+ly )?kept\b",
        "Write “saved”, “stored” or “cached”.",
        "the sound is kept",
        "the sound is stored",
    ),
    "go on": Rule(
        r"\b(?:go|goes|going|went|gone) on\b",
        "Write “continue” or “resume”.",
        "the export goes on",
        "the export resumes",
    ),
    "no actor": Rule(
        r"\b(?:somebody|someone|nobody|no one|a person|one['’]s)\b",
        "Name the actor: the user, you, the app.",
        "until somebody scrolls",
        "until the user scrolls",
    ),
    "whatever": Rule(r"\b(?:whatever|whoever)\b", "Write “any” or “regardless of”.", "whatever it is", "any of them"),
    "in place of": Rule(
        r"\bin (?:the|its|their) place of\b|\bin place of\b", "Write “instead of”.", "a in place of b", "a instead of b"
    ),
    "anew": Rule(r"\b(?:anew|afresh)\b", "Write “again”.", "it is built anew", "it is built again"),
    "of its own": Rule(
        r"\bof (?:its|their|his|her|your|one['’]s|the user['’]s) own\b",
        "Write “separate”, “dedicated” or “built-in”.",
        "in a process of its own",
        "with its own Python",
    ),
    "is told": Rule(
        rf"\b{PASSIVE} (?:told|said)\b", "Write “reports” or “shows”.", "that it is old is said", "it reports the age"
    ),
    "is none": Rule(
        r"\b(?:that|which|who) (?:is|are|was|were) (?:none|not one)\b",
        "Affirm: “unknown”, “unsupported”.",
        "names that are none",
        "unknown names",
    ),
    "is gone": Rule(
        r"\b(?:is|are|was|were) gone\b",
        "Write “was removed” or “can't be found”.",
        "the file is gone",
        "it was removed",
    ),
    "once ambiguous": Rule(
        r"\breturns? at once\b|\b(?:starts?|ends?|stops?) at once\b",
        "Write “immediately”.",
        "it returns at once",
        "all at once",
    ),
    "so far": Rule(
        r"\b(?:so far|as far as|by now)\b",
        "Write “until now”, “currently” or “if”.",
        "as far as it goes",
        "how far it is",
    ),
    "has megabytes": Rule(r"\bhas \d[\d,.]* (?:k|M|G)B\b", "Write “is”.", "it has 336 MB", "it is 336 MB"),
    "a model speaks": Rule(
        r"\b(?:models?|modules?|starter|processor|CPU|GPU) speaks?\b",
        "A model is used, and the CPU computes.",
        "the best model speaks",
        "the best model is used",
    ),
    "a speech": Rule(
        r"\b(?:a|each|every|another|speeches) speech(?:es)?\b(?! (?:recogni|bubble|request|job))",
        "Speech is uncountable: write “audio”, “an utterance” or “a recording”.",
        "each speech is stored",
        "a speech recognizer",
    ),
    "press": Rule(
        r"\bpress(?:es|ed|ing)? (?:the )?(?:button|play|stop|speak|download|diagnose)\b",
        "Click a button, press a key.",
        "press Play",
        "press Ctrl-C",
    ),
    "processor": Rule(r"\bprocessors?\b", "Write “CPU”.", "two processors", "two CPU cores"),
    "loudspeaker": Rule(r"\bloudspeakers?\b", "Write “speakers”.", "the loudspeaker", "the speakers"),
    "fetch": Rule(
        r"\bfetch(?:es|ed|ing)?\b", "Write “download” or “read”.", "models are fetched", "models are downloaded"
    ),
    "plant a fault": Rule(
        r"\b(?:plant(?:s|ed|ing)?|drills?)\b",
        "Write “inject” and “fault injection”.",
        "a planted fault",
        "an injected fault",
    ),
    "private terms": Rule(
        r"\b(?:yardsticks?|inner values?|own-fed|reference-fed|the truth|on paper|lessons?)\b",
        "Write “baseline”, “activations”, “end to end”, “isolated”, “reference”, “estimated” or “training data”.",
        "fed by the truth",
        "the reference",
    ),
    "British spelling": Rule(
        r"\b(?:colour|favour|behaviour|neighbour|licen[c]e|catalogue|cancell(?:ed|ing)|grey|analyse|programme)\w*\b"
        r"|\b(?:normal|recogn|optim|vector|initial|notar|synthes|quant|organ|summar|character|token)is(?:e|es|ed|er|ers|ing|ation)\b",
        "Use American spelling.",
        "the normalisation of colours",
        "the license was canceled",
    ),
}
"""Rules by name."""
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)

ALLOWED: dict[tuple[str, str], str] = {}
"""Phrases that stay, by file and phrase, each with its reason."""


def markdown() -> Iterator[Passage]:
    """The prose of every document; code and the addresses of links are left out."""
    for path in DOCUMENTS:
        text = LINK.sub(lambda link: link[0].partition("](")[0], SPAN.sub("", prose_of(path)))
        yield Passage(str(path.relative_to(ROOT)), 1, text)


SOURCES: tuple[Callable[[], Iterator[Passage]], ...] = (markdown,)


def passages() -> Iterator[Passage]:
    return (passage for source in SOURCES for passage in source())


def violations(rule: Rule, texts: Iterable[Passage]) -> Iterator[str]:
    for passage in texts:
        for lines, phrase in rule.phrases_in(passage.text):
            if (passage.file, phrase) not in ALLOWED:
                yield f"{passage.file}:{passage.line + lines}: “{phrase}”. {rule.advice}"


@every_rule
def test_texts_follow_the_rule(rule: Rule) -> None:
    found = list(violations(rule, passages()))
    assert not found, "\n".join(found)


@every_rule
def test_a_bad_phrase_is_found_across_lines(rule: Rule) -> None:
    bad = Passage("page.md", 1, "Here:\n" + rule.bad.replace(" ", "\n"))
    assert [each for each in violations(rule, [bad]) if each.startswith("page.md:")]


@every_rule
def test_a_good_phrase_passes(rule: Rule) -> None:
    assert not list(violations(rule, [Passage("page.md", 1, rule.good)]))


def test_allowed_phrases_are_still_there() -> None:
    found = {
        (passage.file, phrase)
        for passage in passages()
        for rule in RULES.values()
        for _, phrase in rule.phrases_in(passage.text)
    }
    assert set(ALLOWED) <= found


def test_markdown_leaves_out_code_and_addresses() -> None:
    assert {passage.file for passage in markdown()} >= {"README.md", "CONTRIBUTING.md"}
    assert not any("](" in passage.text or "`" in passage.text for passage in markdown())
