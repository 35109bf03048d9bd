"""Assigns Penn Treebank tags to the words of an English sentence, from the tables in the textblob package.

These hold Brill's rules, in the format of the pattern library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from engine.text.g2p.homographs import SPELLED_IN_CAPITALS, correct_tags
from engine.text.g2p.sorted_file import SortedFile

BORDER = "STAART"
"""The word and the tag that rules see beyond both ends of a sentence."""
REACH = 3
"""The number of words to either side that a context rule may inspect."""
COMMENT = ";;;"
ANY = "*"
FIRST_TAG = re.compile(r"[^ |\n]+")

MorphologyTest = Callable[[str, str, str], bool]
"""Takes a word, the word before it and the word after it."""
ContextTest = Callable[[Sequence[str], Sequence[str], int], bool]
"""Takes the words, their tags and the index of the word in question."""
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
NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,:/-][0-9]+)*%?")
PUNCTUATION_TAGS = {
    **dict.fromkeys(".!?…", "."),
    **dict.fromkeys(";:—–", ":"),
    "-": "HYPH",
    **dict.fromkeys("([{", "-LRB-"),
    **dict.fromkeys(")]}", "-RRB-"),
    **dict.fromkeys("$£€", "$"),
    ",": ",",
    "#": "#",
    "“": "``",
    "”": "''",
}
"""Tags by the first character of a word without letters and digits."""
SYMBOL_TAG = "SYM"
ARTICLES = frozenset(("the", "a", "an", ","))
"""Words before an acronym; a comma precedes a state."""
SMALL_WORD_TAGS = frozenset(
    ("IN", "DT", "PRP", "PRP$", "CC", "TO", "MD", "WP", "WRB", "WDT", "VBZ", "VBD", "VBP", "VB")
)
MAX_SMALL_WORD = 5
STRAIGHT_QUOTE = '"'
"""A quotation mark that alternately opens and closes."""


@dataclass(frozen=True)
class MorphologyRule:
    """A rule for unknown words: one tagged `before` (None: any tag) becomes `after` if the test holds."""

    before: str | None
    after: str
    applies: MorphologyTest


@dataclass(frozen=True)
class ContextRule:
    """A rule that retags a word from `before` to `after` if the context test holds; `order` is its table position."""

    order: int
    before: str
    after: str
    applies: ContextTest


def table_lines(text: str) -> Iterator[str]:
    """Yield the lines of a table, without comments and blank ones."""
    for line in text.splitlines():
        stripped = line.strip().lstrip("\ufeff")
        if stripped and not stripped.startswith(COMMENT):
            yield stripped


class TagLexicon(Mapping[str, str]):
    """Words with their tags, from a sorted file of lines like `Arnold NNP`; only the first of several tags is used."""

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
    """Parse rules from lines like `NN s fhassuf 1 NNS x` (with a tag) or `ly hassuf 2 RB x` (for any tag)."""
    return [_morphology_rule(line.split(), lexicon) for line in table_lines(text)]


def _morphology_rule(fields: list[str], lexicon: Container[str]) -> MorphologyRule:
    after = fields[-2]
    if fields[1] in MORPHOLOGY_TESTS:
        return MorphologyRule(None, after, MORPHOLOGY_TESTS[fields[1]](fields[0], lexicon))
    make_test = MORPHOLOGY_TESTS[fields[2].removeprefix("f")]
    return MorphologyRule(fields[0], after, make_test(fields[1], lexicon))


def read_context(text: str) -> list[ContextRule]:
    """Parse rules from lines like `NN VB PREVTAG TO`: NN becomes VB after a word tagged TO."""
    rules = []
    for order, line in enumerate(table_lines(text)):
        before, after, command, x, *rest = line.split()
        test = CONTEXT_TESTS[command.lower()](x, rest[0] if rest else "")
        rules.append(ContextRule(order, before, after, test))
    return rules


def rules_by_tag(rules: Iterable[ContextRule]) -> dict[str, list[ContextRule]]:
    """Return the rules that may apply to each tag, in order; under `ANY`, those for all other tags."""
    ordered = list(rules)
    tags = {ANY, *(rule.before for rule in ordered)}
    return {tag: [rule for rule in ordered if rule.before in (tag, ANY)] for tag in tags}


class PartOfSpeechTagger:
    """Tags one sentence at a time."""

    def __init__(
        self,
        lexicon: Mapping[str, str],
        morphology: Sequence[MorphologyRule],
        context: Mapping[str, Sequence[ContextRule]],
        homographs: Mapping[str, Collection[str]],
    ) -> None:
        self._lexicon = lexicon
        self._morphology = morphology
        self._context = context
        self._homographs = homographs

    def tag(self, words: Sequence[str]) -> list[str]:
        """Return one tag per word."""
        known = [self._known(words, index) for index in range(len(words))]
        tags = [tag or self._guessed(words, index) for index, tag in enumerate(known)]
        return correct_tags(words, self._in_context(words, tags), self._homographs)

    def _known(self, words: Sequence[str], index: int) -> str | None:
        word = words[index]
        if word == STRAIGHT_QUOTE:
            return "''" if list(words[:index]).count(word) % 2 else "``"
        if not any(character.isalnum() for character in word):
            return PUNCTUATION_TAGS.get(word[:1], SYMBOL_TAG)
        if word.isupper() and self._is_stressed(words, index):
            return self._lexicon.get(word.lower())
        tag = self._lexicon.get(word)
        return self._lexicon.get(word.lower()) if tag is None and not index else tag

    def _is_stressed(self, words: Sequence[str], index: int) -> bool:
        """Return whether capitals stress a function word, as in “It was HIS”; after an article they are an acronym."""
        word, before = words[index], words[index - 1].lower() if index else ""
        if not 1 < len(word) <= MAX_SMALL_WORD or before in ARTICLES:
            return False
        return word not in SPELLED_IN_CAPITALS and self._lexicon.get(word.lower()) in SMALL_WORD_TAGS

    def _guessed(self, words: Sequence[str], index: int) -> str:
        word = words[index]
        if word.istitle():
            return "NNP"
        if NUMBER.fullmatch(word):
            return "CD"
        before = words[index - 1] if index else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        tag = "NN"
        for rule in self._morphology:
            if rule.before in (None, tag) and rule.applies(word, before, after):
                tag = rule.after
        return tag

    def _in_context(self, words: Sequence[str], tags: Sequence[str]) -> list[str]:
        margin = [BORDER] * REACH
        padded_words = [*margin, *words, *margin]
        padded_tags = [*margin, *tags, *margin]
        for index in range(REACH, REACH + len(words)):
            self._sweep(padded_words, padded_tags, index)
        return padded_tags[REACH : REACH + len(words)]

    def _sweep(self, words: Sequence[str], tags: list[str], index: int) -> None:
        """Apply the rules to one word in order; later rules see the results of earlier ones."""
        done = -1
        while True:
            rules = self._context.get(tags[index], self._context[ANY])
            rule = next((r for r in rules if r.order > done and r.applies(words, tags, index)), None)
            if rule is None:
                return
            tags[index] = rule.after
            done = rule.order


def load_tagger(homographs: Mapping[str, Collection[str]]) -> PartOfSpeechTagger:
    """Load the tagger with textblob's tables, without importing textblob, which would cost a second and 70 MB.

    `homographs` maps words to the classes (NOUN, VERB, ADJ) by which their pronunciations differ.
    """
    folder = tables_folder()
    lexicon = TagLexicon(folder / "en-lexicon.txt")
    context_lines = table_lines((folder / "en-context.txt").read_text(encoding="utf-8"))
    context = read_context("\n".join(filter(_is_wanted, context_lines)))
    morphology = read_morphology((folder / "en-morphology.txt").read_text(encoding="utf-8"), lexicon)
    return PartOfSpeechTagger(lexicon, morphology, rules_by_tag(context), homographs)


def _is_wanted(context_rule: str) -> bool:
    """Return whether to use a rule; those that take a name for a common word at a sentence start cost too much.

    An example is the name in “Smith lives …”.
    """
    return not (context_rule.startswith("NNP ") and BORDER in context_rule)


def tables_folder() -> Path:
    """Return the folder of textblob's tables for English; raises `ModuleNotFoundError` if textblob is not installed."""
    spec = find_spec("textblob")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("textblob isn’t installed", name="textblob")
    return Path(spec.submodule_search_locations[0]) / "en"
