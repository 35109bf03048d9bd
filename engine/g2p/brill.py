"""Brill's rules, read from the text tables of the pattern library."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.g2p.sorted_file import SortedFile

BORDER = "STAART"
"""The word and the tag that the rules see beyond both ends of a sentence."""
REACH = 3
"""How many words to either side a context rule may look at."""
COMMENT = ";;;"
ANY = "*"
FIRST_TAG = re.compile(r"[^ |\n]+")

MorphologyTest = Callable[[str, str, str], bool]
"""Takes a word, the word before it and the word after it."""
ContextTest = Callable[[Sequence[str], Sequence[str], int], bool]
"""Takes the words, their tags and the index of the word in question."""


@dataclass(frozen=True)
class MorphologyRule:
    """An unknown word tagged `before` (`None`: whatever its tag) becomes `after` if the test holds."""

    before: str | None
    after: str
    applies: MorphologyTest


@dataclass(frozen=True)
class ContextRule:
    """A word tagged `before` becomes `after` if the test of its context holds; `order` is its position in the table."""

    order: int
    before: str
    after: str
    applies: ContextTest


def table_lines(text: str) -> Iterator[str]:
    """The lines of a table, without comments and blank ones."""
    for line in text.splitlines():
        stripped = line.strip().lstrip("\ufeff")
        if stripped and not stripped.startswith(COMMENT):
            yield stripped


class TagLexicon(Mapping[str, str]):
    """Words with their tags, from a sorted file of lines like `Arnold NNP`; the first of several tags."""

    def __init__(self, path: Path) -> None:
        self._file = SortedFile(path, "\n", " ", COMMENT)

    def __getitem__(self, word: str) -> str:
        tag = FIRST_TAG.match(self._file.after(word) or "")
        if tag is None:
            raise KeyError(word)
        return tag[0]

    def __iter__(self) -> Iterator[str]:
        words = (line.split(" ")[0] for line in table_lines(self._file.text()))
        return (word for word in words if word in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def read_morphology(text: str, lexicon: Container[str]) -> list[MorphologyRule]:
    """Rules from lines like `NN s fhassuf 1 NNS x` (with a tag) or `ly hassuf 2 RB x` (for any tag)."""
    return [_morphology_rule(line.split(), lexicon) for line in table_lines(text)]


def _morphology_rule(fields: list[str], lexicon: Container[str]) -> MorphologyRule:
    after = fields[-2]
    if fields[1] in MORPHOLOGY_TESTS:
        return MorphologyRule(None, after, MORPHOLOGY_TESTS[fields[1]](fields[0], lexicon))
    make_test = MORPHOLOGY_TESTS[fields[2].removeprefix("f")]
    return MorphologyRule(fields[0], after, make_test(fields[1], lexicon))


MORPHOLOGY_TESTS: Mapping[str, Callable[[str, Container[str]], MorphologyTest]] = {
    "char": lambda x, _: lambda word, before, after: x in word,
    "haspref": lambda x, _: lambda word, before, after: word.startswith(x),
    "hassuf": lambda x, _: lambda word, before, after: word.endswith(x),
    "addpref": lambda x, known: lambda word, before, after: x + word in known,
    "addsuf": lambda x, known: lambda word, before, after: word + x in known,
    "deletepref": lambda x, known: lambda word, before, after: word.startswith(x) and word.removeprefix(x) in known,
    "deletesuf": lambda x, known: lambda word, before, after: word.endswith(x) and word.removesuffix(x) in known,
    "goodleft": lambda x, _: lambda word, before, after: after == x,
    "goodright": lambda x, _: lambda word, before, after: before == x,
}


def read_context(text: str) -> list[ContextRule]:
    """Rules from lines like `NN VB PREVTAG TO`: NN becomes VB after a word tagged TO."""
    rules = []
    for order, line in enumerate(table_lines(text)):
        before, after, command, x, *rest = line.split()
        test = CONTEXT_TESTS[command.lower()](x, rest[0] if rest else "")
        rules.append(ContextRule(order, before, after, test))
    return rules


def rules_by_tag(rules: Iterable[ContextRule]) -> dict[str, list[ContextRule]]:
    """For each tag that a rule names, the rules that may apply to it, in order; under `ANY`, those for all others."""
    ordered = list(rules)
    tags = {ANY, *(rule.before for rule in ordered)}
    return {tag: [rule for rule in ordered if rule.before in (tag, ANY)] for tag in tags}


CONTEXT_TESTS: Mapping[str, Callable[[str, str], ContextTest]] = {
    "prevtag": lambda x, y: lambda w, t, i: t[i - 1] == x,
    "nexttag": lambda x, y: lambda w, t, i: t[i + 1] == x,
    "prev2tag": lambda x, y: lambda w, t, i: t[i - 2] == x,
    "next2tag": lambda x, y: lambda w, t, i: t[i + 2] == x,
    "prev1or2tag": lambda x, y: lambda w, t, i: x in (t[i - 1], t[i - 2]),
    "next1or2tag": lambda x, y: lambda w, t, i: x in (t[i + 1], t[i + 2]),
    "prev1or2or3tag": lambda x, y: lambda w, t, i: x in (t[i - 1], t[i - 2], t[i - 3]),
    "next1or2or3tag": lambda x, y: lambda w, t, i: x in (t[i + 1], t[i + 2], t[i + 3]),
    "surroundtag": lambda x, y: lambda w, t, i: t[i - 1] == x and t[i + 1] == y,
    "curwd": lambda x, y: lambda w, t, i: w[i] == x,
    "prevwd": lambda x, y: lambda w, t, i: w[i - 1] == x,
    "nextwd": lambda x, y: lambda w, t, i: w[i + 1] == x,
    "prev1or2wd": lambda x, y: lambda w, t, i: x in (w[i - 1], w[i - 2]),
    "next1or2wd": lambda x, y: lambda w, t, i: x in (w[i + 1], w[i + 2]),
    "prevwdtag": lambda x, y: lambda w, t, i: w[i - 1] == x and t[i - 1] == y,
    "nextwdtag": lambda x, y: lambda w, t, i: w[i + 1] == x and t[i + 1] == y,
    "wdprevtag": lambda x, y: lambda w, t, i: t[i - 1] == x and w[i] == y,
    "wdnexttag": lambda x, y: lambda w, t, i: w[i] == x and t[i + 1] == y,
    "wdand2aft": lambda x, y: lambda w, t, i: w[i] == x and w[i + 2] == y,
    "wdand2tagbfr": lambda x, y: lambda w, t, i: t[i - 2] == x and w[i] == y,
    "wdand2tagaft": lambda x, y: lambda w, t, i: w[i] == x and t[i + 2] == y,
    "lbigram": lambda x, y: lambda w, t, i: w[i - 1] == x and w[i] == y,
    "rbigram": lambda x, y: lambda w, t, i: w[i] == x and w[i + 1] == y,
    "prevbigram": lambda x, y: lambda w, t, i: t[i - 2] == x and t[i - 1] == y,
    "nextbigram": lambda x, y: lambda w, t, i: t[i + 1] == x and t[i + 2] == y,
}
