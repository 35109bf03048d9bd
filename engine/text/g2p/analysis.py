"""Tags words for misaki with parts of speech: with spaCy's English model if installed, else an offline tagger."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from engine.system.imports import hidden_module
from engine.text.g2p.tagger import PUNCTUATION_TAGS, PartOfSpeechTagger, load_tagger

MODEL_NAME = "en_core_web_sm"
"""The spaCy model that misaki was developed with."""
MODEL_COMPONENTS = ("tok2vec", "tagger")
COMMAND = "spacy.cli.info"
"""The command-line module that importing spaCy loads, with three network clients: 20 MB and 0.25 seconds."""


@dataclass(frozen=True)
class TaggedWord:
    """A word or punctuation mark at `start` in its sentence; `space` tells whether a space follows."""

    text: str
    tag: str
    space: bool
    start: int

    @property
    def end(self) -> int:
        """The offset just after the word, without the space."""
        return self.start + len(self.text)

    def part(self, start: int, end: int, tag: str) -> TaggedWord:
        """Return the characters from `start` to `end` of the word as a word with this tag."""
        return TaggedWord(self.text[start:end], tag, self.space and end == len(self.text), self.start + start)


Analyzer = Callable[[str], list[TaggedWord]]
Homographs = Mapping[str, Collection[str]]
"""The classes (NOUN, VERB, ADJ) by which the pronunciations of a word differ, by word."""


SIGN_INSIDE = re.compile(r"[,;:!?…—“”()]|\.\Z")
"""Signs that are not part of a word, and a full stop after one; other dots are inside “U.S”."""


def without_signs(word: TaggedWord) -> list[TaggedWord]:
    """Split a word of spaCy's, such as “p.m.” or “:-(”, so that signs are separate words and none is spoken."""
    if len(word.text) == 1 or SIGN_INSIDE.search(word.text) is None:
        return [word]
    parts: list[TaggedWord] = []
    done = 0
    for sign in SIGN_INSIDE.finditer(word.text):
        if done < sign.start():
            parts.append(word.part(done, sign.start(), word.tag))
        parts.append(word.part(*sign.span(), PUNCTUATION_TAGS[sign[0]]))
        done = sign.end()
    return [*parts, word.part(done, len(word.text), word.tag)] if done < len(word.text) else parts


def import_spacy() -> None:
    """Load spaCy without its command line, and without torch if its model is not installed.

    spaCy loads torch if available, only to convert arrays: 180 MB and a second that are not needed here.
    """
    if find_spec(MODEL_NAME) is not None:
        with _no_command():
            import_module("spacy")
        return
    with hidden_module("torch"), _no_command():
        import_module("spacy")


def load_analyzer(homographs: Homographs) -> Analyzer:
    """Load the spaCy model if it is installed and loads, else the offline tagger."""
    return load_model_analyzer() or load_offline_analyzer(homographs)


def load_model_analyzer() -> Analyzer | None:
    """Load spaCy's model; None if it is missing or incompatible with the installed spaCy."""
    if find_spec(MODEL_NAME) is None:
        return None
    import spacy

    try:
        pipeline = spacy.load(MODEL_NAME, enable=list(MODEL_COMPONENTS))
    except (ImportError, OSError, ValueError):
        return None
    return lambda text: [_tagged(token, token.tag_) for token in pipeline(text)]


def load_offline_analyzer(homographs: Homographs) -> Analyzer:
    """Load spaCy's English tokenizer, which needs no model, and the offline tagger."""
    tokenizer = _load_tokenizer()
    tagger = load_tagger(homographs)
    return lambda text: _tag_offline(text, tokenizer, tagger)


def _tag_offline(text: str, tokenizer: Any, tagger: PartOfSpeechTagger) -> list[TaggedWord]:
    tokens = list(tokenizer(text))
    tags = tagger.tag([token.text for token in tokens])
    return [_tagged(token, tag) for token, tag in zip(tokens, tags, strict=True)]


def _tagged(token: Any, tag: str) -> TaggedWord:
    return TaggedWord(token.text, tag, bool(token.whitespace_), token.idx)


def _load_tokenizer() -> Any:
    """Load the tokenizer of spaCy without its `Language`, which would load every installed extension."""
    with hidden_module("torch"), _no_command():
        from spacy.lang.en import English
        from spacy.tokenizer import Tokenizer
        from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex
        from spacy.vocab import Vocab
    defaults = English.Defaults
    return Tokenizer(
        Vocab(),
        rules=defaults.tokenizer_exceptions,
        prefix_search=compile_prefix_regex(defaults.prefixes).search,
        suffix_search=compile_suffix_regex(defaults.suffixes).search,
        infix_finditer=compile_infix_regex(defaults.infixes).finditer,
        token_match=defaults.token_match,
        url_match=defaults.url_match,
    )


def _no_command() -> AbstractContextManager[None]:
    empty = ModuleType(COMMAND)
    empty.info = None  # type: ignore[attr-defined]
    return hidden_module(COMMAND, empty)
