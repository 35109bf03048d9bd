"""The rules under "Writing" in CONTRIBUTING.md that can be checked by pattern.

Each of `SOURCES` yields passages of files: documents, docstrings and comments, names of tests, and strings that users
read.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from tests.architecture.documents import (
    DOCUMENTS,
    LINK,
    ROOT,
    SPAN,
    comments_of,
    docstrings_of,
    named_tests,
    prose_of,
    strings_of,
)


@dataclass(frozen=True)
class Passage:
    """A text, and the place of its first line; a line break counts as a space."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Rule:
    """Phrases that `pattern` finds, `advice` on what to write instead, and a phrase of each kind.

    A space in the pattern stands for any white space, and case is ignored. With `strings_only`, the rule does not hold
    for documents, docstrings and comments.
    """

    pattern: str
    advice: str
    bad: str
    good: str
    strings_only: bool = False

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
        r"(?<!--)(?<!models\s)\bfetch(?:es|ed|ing)?\b",
        "Write “download”, “load” or “read”; only the command and the option are named so.",
        "models are fetched",
        "“kokoro-desk models fetch” downloads models",
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
    "contraction": Rule(
        r"\b(?:cannot|(?:can|do|does|did|is|are|was|were|could|will|would|has|have|should) not)\b",
        "Use a contraction.",
        "the file cannot be read",
        "the file can’t be read",
        strings_only=True,
    ),
    "straight apostrophe": Rule(
        r"[\w…]'(?:s|t|re|ve|ll|d|m)\b|\ws' ",
        "Write ’.",
        "the model's file",
        "the model’s file",
        strings_only=True,
    ),
}
"""Rules by name."""
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)

ALLOWED: dict[tuple[str, str], str] = {
    ("engine/errors.py", "e's"): "a value that processes exchange",
    ("engine/errors.py", "what is compared"): "a value that processes exchange",
    ("engine/models/packages.py", "DO NOT"): "a message of pip",
    ("engine/models/packages.py", "Could not"): "a message of pip",
    ("engine/models/packages.py", "fetch"): "a message of pip",
    ("engine/validator/service/service.py", "n't"): "a message of the system",
    ("engine/validator/service/service.py", "cannot"): "a message of the system",
    ("engine/validator/service/service.py", "could not"): "a message of oneDNN",
    ("engine/text/g2p/symbols.py", "does not"): "spoken for ≠",
    ("engine/text/g2p/numbers.py", "Lesson"): "a word before Roman numerals",
    ("engine/benchmark/measuring.py", "went on"): "a sentence to speak",
    ("engine/report/steps.py", "does not"): "a sentence to speak",
}
"""Phrases that stay, by file and phrase, each with its reason."""
SPOKEN = ("engine/training/starter/texts.py",)
"""Files whose strings are training data."""
FIRST_WORD = re.compile(r"\s*(?:What|Where|How|Whether|Which|Why)\b")
"""Beginnings of a docstring that do not say what the thing is."""
MAX_TEST_WORDS = 12
WORDS = re.compile(r"[A-Za-z’']{2,}")
CODE = re.compile(r"\\|\(\?|\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE) ")
"""Signs of a regular expression or of SQL."""


def markdown() -> Iterator[Passage]:
    """The prose of every document; code and the addresses of links are left out."""
    for path in DOCUMENTS:
        text = LINK.sub(lambda link: link[0].partition("](")[0], SPAN.sub("", prose_of(path)))
        yield Passage(str(path.relative_to(ROOT)), 1, text)


@dataclass(frozen=True)
class PythonFile:
    """The texts of a Python file, without code in backquotes; the names of tests are texts with spaces."""

    docstrings: tuple[Passage, ...]
    comments: tuple[Passage, ...]
    tests: tuple[Passage, ...]
    strings: tuple[Passage, ...]


@cache
def python_files() -> tuple[PythonFile, ...]:
    """Every Python file, parsed once; the strings are those of at least two words that users may read."""
    files = []
    for path in (path for folder in ("app", "engine", "tests") for path in sorted((ROOT / folder).rglob("*.py"))):
        name, source = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(source)))
        hidden = name.startswith("tests/") or name in SPOKEN
        strings = ((line, text) for line, text in strings_of(nodes) if len(WORDS.findall(text)) > 1 and " " in text)
        files.append(
            PythonFile(
                tuple(Passage(name, each.lineno, SPAN.sub("", each.value)) for each in docstrings_of(nodes)),
                tuple(Passage(name, line, SPAN.sub("", text)) for line, text in comments_of(source)),
                tuple(Passage(name, line, text.replace("_", " ")) for line, text in named_tests(nodes)),
                tuple(Passage(name, line, SPAN.sub("", text)) for line, text in strings if not CODE.search(text))
                if not hidden
                else (),
            )
        )
    return tuple(files)


def docstrings_and_comments() -> Iterator[Passage]:
    return (passage for file in python_files() for passage in (*file.docstrings, *file.comments))


def names_of_tests() -> Iterator[Passage]:
    return (passage for file in python_files() for passage in file.tests)


def strings() -> Iterator[Passage]:
    return (passage for file in python_files() for passage in file.strings)


SOURCES: tuple[Callable[[], Iterator[Passage]], ...] = (markdown, docstrings_and_comments, names_of_tests, strings)


def passages(rule: Rule) -> Iterator[Passage]:
    """The passages that a rule holds for."""
    return (passage for source in SOURCES if source is strings or not rule.strings_only for passage in source())


def violations(rule: Rule, texts: Iterable[Passage]) -> Iterator[str]:
    for passage in texts:
        for lines, phrase in rule.phrases_in(passage.text):
            if (passage.file, phrase) not in ALLOWED:
                yield f"{passage.file}:{passage.line + lines}: “{phrase}”. {rule.advice}"


@every_rule
def test_texts_follow_the_rule(rule: Rule) -> None:
    found = list(violations(rule, passages(rule)))
    assert not found, "\n".join(found)


def test_docstrings_begin_with_the_thing() -> None:
    docstrings = (passage for file in python_files() for passage in file.docstrings)
    found = [f"{each.file}:{each.line}: {each.text[:60]}" for each in docstrings if FIRST_WORD.match(each.text)]
    assert not found, "\n".join(found)


def test_names_of_tests_begin_with_the_thing_and_are_short() -> None:
    long = [each for each in names_of_tests() if len(each.text.split()) > MAX_TEST_WORDS]
    headless = [each for each in names_of_tests() if FIRST_WORD.match(each.text.capitalize())]
    found = [f"{each.file}:{each.line}: {each.text}" for each in (*long, *headless)]
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
        for rule in RULES.values()
        for passage in passages(rule)
        if any(passage.file == file for file, _ in ALLOWED)
        for _, phrase in rule.phrases_in(passage.text)
    }
    assert set(ALLOWED) <= found


def test_markdown_leaves_out_code_and_addresses() -> None:
    assert {passage.file for passage in markdown()} >= {"README.md", "CONTRIBUTING.md"}
    assert not any("](" in passage.text or "`" in passage.text for passage in markdown())


SAMPLE = '''"""A module."""
# One reason
# on two lines.
limit = 3  # at most
"""An attribute with `code`."""

def greet(name: str) -> str:
    """Greet."""
    return f"Hello, {name}, and " "welcome."
'''


def test_python_texts_have_their_lines() -> None:
    nodes = list(ast.walk(ast.parse(SAMPLE)))
    docstrings = sorted((each.lineno, each.value) for each in docstrings_of(nodes))
    assert docstrings == [(1, "A module."), (5, "An attribute with `code`."), (8, "Greet.")]
    assert comments_of(SAMPLE) == [(2, "One reason\non two lines."), (4, "at most")]
    assert list(strings_of(nodes)) == [(9, "Hello, …, and welcome.")]


def test_every_kind_of_python_file_is_read() -> None:
    assert {passage.file.partition("/")[0] for passage in docstrings_and_comments()} == {"app", "engine", "tests"}
    assert {passage.file.partition("/")[0] for passage in strings()} == {"app", "engine"}
