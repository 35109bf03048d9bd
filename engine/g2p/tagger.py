"""Penn Treebank tags for the words of an English sentence, from the tables in the textblob package."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from engine.g2p.brill import (
    ANY,
    BORDER,
    REACH,
    ContextRule,
    MorphologyRule,
    TagLexicon,
    read_context,
    read_morphology,
    rules_by_tag,
    table_lines,
)
from engine.g2p.homographs import SPELLED_IN_CAPITALS, settle

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
"""By the first character of a word without letters and digits."""
SYMBOL_TAG = "SYM"
ARTICLES = frozenset(("the", "a", "an", ","))
"""Before an acronym; a comma comes before a state."""
SMALL_WORD_TAGS = frozenset(
    ("IN", "DT", "PRP", "PRP$", "CC", "TO", "MD", "WP", "WRB", "WDT", "VBZ", "VBD", "VBP", "VB")
)
LONGEST_SMALL_WORD = 5
STRAIGHT_QUOTE = '"'
"""It opens and closes in turn."""


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
        """One tag per word."""
        known = [self._known(words, index) for index in range(len(words))]
        tags = [tag or self._guessed(words, index) for index, tag in enumerate(known)]
        return settle(words, self._in_context(words, tags), self._homographs)

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
        """Whether capitals stress a small word, as in “It was HIS”; behind an article they are an acronym."""
        word, before = words[index], words[index - 1].lower() if index else ""
        if not 1 < len(word) <= LONGEST_SMALL_WORD or before in ARTICLES:
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
        """Apply the rules to one word in order; those after one that has applied see its result."""
        done = -1
        while True:
            rules = self._context.get(tags[index], self._context[ANY])
            rule = next((r for r in rules if r.order > done and r.applies(words, tags, index)), None)
            if rule is None:
                return
            tags[index] = rule.after
            done = rule.order


def load_tagger(homographs: Mapping[str, Collection[str]]) -> PartOfSpeechTagger:
    """The tagger with textblob's tables, read without importing textblob: that would cost a second and 70 MB.

    `homographs` maps words to the classes (NOUN, VERB, ADJ) by which their pronunciations differ.
    """
    folder = tables_folder()
    lexicon = TagLexicon(folder / "en-lexicon.txt")
    context_lines = table_lines((folder / "en-context.txt").read_text(encoding="utf-8"))
    context = read_context("\n".join(filter(_is_wanted, context_lines)))
    morphology = read_morphology((folder / "en-morphology.txt").read_text(encoding="utf-8"), lexicon)
    return PartOfSpeechTagger(lexicon, morphology, rules_by_tag(context), homographs)


def _is_wanted(context_rule: str) -> bool:
    """The rules that take a name for a common word at the start of a sentence (“Smith lives …”) cost too much."""
    return not (context_rule.startswith("NNP ") and BORDER in context_rule)


def tables_folder() -> Path:
    """The folder of textblob's tables for English; raises `ModuleNotFoundError` if textblob is not installed."""
    spec = find_spec("textblob")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("textblob is not installed", name="textblob")
    return Path(spec.submodule_search_locations[0]) / "en"
