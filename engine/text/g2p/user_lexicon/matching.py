"""Finds the words and patterns of the user's lexicon in a text.

Only whole words are found: “don” is not in “don't”, nor “node” in “node.js”, but “Zorg” is in “Zorg-like”. Apostrophes,
hyphens and spaces match in every form. In Japanese and Mandarin, which have no spaces, every character is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import regex

from engine.errors import InvalidRequest
from engine.speech import PronunciationSource
from engine.text.g2p.directions import without_preset_tags
from engine.text.g2p.draft import SourcedText, Span
from engine.text.g2p.overrides import INLINE
from engine.text.g2p.pieces import Ending
from engine.text.g2p.user_lexicon.entries import ENGLISH, EXACT_CASE, LexiconEntry
from engine.text.languages import LANGUAGES, Language

INVISIBLE = r"[\p{Cf}\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]"
"""Characters that the normalization drops, such as soft hyphens."""
LETTER = rf"(?:[\p{{L}}\p{{M}}\p{{N}}]|(?<=[\p{{L}}\p{{M}}]){INVISIBLE}{{1,4}}(?=[\p{{L}}\p{{M}}]))"
IDEOGRAPH = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
APOSTROPHE, HYPHEN = "['‘’ʼ]", "[-‐‑]"
JOINT = r"[_@]|\.(?=[\p{Ll}\p{N}])|(?<=(?<!\p{L})\p{L})\.(?=\p{L}(?!\p{L}))"
"""Signs inside a word: “node.js”, “U.S”."""


def _token(joint: str) -> regex.Pattern[str]:
    return regex.compile(
        rf"(?P<space>\s+)|(?<=\p{{L}}){HYPHEN}[^\S\n]*\n[^\S\n]*(?=\p{{L}})|{IDEOGRAPH}\p{{M}}*|(?:https?://|www\.)\S+"
        rf"|(?:(?!{IDEOGRAPH}){LETTER})+(?:(?:{joint})(?:(?!{IDEOGRAPH}){LETTER})+)*|."
    )


TOKEN, ENGLISH_TOKEN = _token(JOINT), _token(f"{APOSTROPHE}|{JOINT}")
"""In other languages, an apostrophe separates words: “l'école”."""
PARAGRAPH = re.compile(r"\n\s*\n")
FORMS = str.maketrans("‘’ʼ‐‑", "'''--", "\n\t ")
DROPPED = regex.compile(INVISIBLE)
LIMIT_SECONDS = 1.0
"""The most computing time, of all threads, that one pattern may take in one passage; more is an endless search."""
RANKS = {"name": 0, "noun": 1, "verb": 1, "adjective": 1, "adverb": 1, "": 2}
"""The order in which entries for parts of speech are tried: a name is also a noun."""
FindEnding = Callable[[str, Callable[[str], bool]], tuple[str, Ending] | None]
"""Returns the entry of which a word is a regular form, and its ending; see `FrontEnd.ending`."""


@dataclass(frozen=True)
class Token(Span):
    """A word, a sign, or the space between two, at `start` to `end` of a text, and its form for comparison."""

    form: str


@dataclass(frozen=True)
class LexiconMatch(Span):
    """A place of a word, and the entries for it in the order in which they apply; `ending` follows their phonemes."""

    entries: tuple[LexiconEntry, ...]
    ending: Ending | None = None


def tokens_of(text: str, english: bool = True) -> list[Token]:
    """Return the words, signs and spaces of a text in order."""
    pattern = ENGLISH_TOKEN if english else TOKEN
    return [Token(match.start(), match.end(), _form(match[0], match["space"])) for match in pattern.finditer(text)]


def _form(token: str, space: str | None) -> str:
    if space is not None:
        return "\n\n" if PARAGRAPH.search(space) else " "
    return token.lower() if token.isascii() and token.isprintable() else _plain(token).lower()


def _plain(word: str) -> str:
    """Return a word without invisible characters and line breaks, and with plain signs."""
    return unicodedata.normalize("NFKC", DROPPED.sub("", word)).translate(FORMS)


class LexiconIndex:
    """Entries of one language, found in time that does not depend on their number."""

    def __init__(self, entries: Iterable[LexiconEntry], english: bool = True) -> None:
        self._english = english
        self.rules: list[LexiconEntry] = []
        self._words: dict[str, list[LexiconEntry]] = {}
        self._lengths: dict[str, int] = {}
        for entry in entries:
            if entry.pattern:
                self.rules.append(entry)
                continue
            forms = [token.form for token in tokens_of(entry.word, english)]
            self._words.setdefault("".join(forms), []).append(entry)
            self._lengths[forms[0]] = max(self._lengths.get(forms[0], 1), len(forms))

    def __bool__(self) -> bool:
        return bool(self.rules or self._words)

    def find(self, text: str, find_ending: FindEnding) -> Iterator[LexiconMatch]:
        """Yield the words of the lexicon in a text, the longest at each place; words in markup are left out."""
        if not self._words:
            return
        tokens, markup, index = tokens_of(text, self._english), _Markup(text), 0
        while index < len(tokens):
            match, count = self._at(text, tokens, index, find_ending)
            if match is not None and not markup.overlaps(match.start, match.end):
                yield match
                index += count
            else:
                index += 1

    def rewrite(self, text: str, stopped: set[LexiconEntry]) -> SourcedText:
        """Apply the rules, except for the `stopped` ones; one that takes too long joins these."""
        rewritten = SourcedText.of(text)
        for rule in self.rules:
            if rule not in stopped:
                try:
                    rewritten = rewritten.rewrite(
                        RuleFinder(rule), partial(_replacement, rule), PronunciationSource.USER
                    )
                except TimeoutError:
                    stopped.add(rule)
        return rewritten

    def entries_in(self, text: str, find_ending: FindEnding) -> Iterator[LexiconEntry]:
        """Yield the entries that affect a text: its words, and all rules that match."""
        stopped: set[LexiconEntry] = set()
        rewritten = self.rewrite(text, stopped)
        if rewritten.rewritten or stopped:
            yield from self.rules
        for match in self.find(rewritten.text, find_ending):
            yield from match.entries

    def _at(
        self, text: str, tokens: Sequence[Token], index: int, find_ending: FindEnding
    ) -> tuple[LexiconMatch | None, int]:
        """Return the longest match that begins with a token, and the number of its tokens."""
        for count in range(self._lengths.get(tokens[index].form, 1), 0, -1):
            part = tokens[index : index + count]
            match = self._match(text, part, find_ending) if len(part) == count else None
            if match is not None:
                return match, count
        return None, 0

    def _match(self, text: str, tokens: Sequence[Token], find_ending: FindEnding) -> LexiconMatch | None:
        start, end = tokens[0].start, tokens[-1].end
        before, last = "".join(token.form for token in tokens[:-1]), tokens[-1].form
        entries = _fitting(self._words.get(before + last, ()), text[start:end], len(before + last))
        if entries:
            return LexiconMatch(start, end, entries)
        if len(last) < 2 or not last[-1].isalpha():
            return None
        found = find_ending(last, lambda stem: before + stem in self._words)
        if found is None:
            return None
        stem = before + found[0]
        length = len(stem) if last.startswith(found[0]) else len(stem) - 1  # “berries” is without the y
        entries = _fitting(self._words[stem], text[start:end], length)
        return LexiconMatch(start, end, entries, found[1]) if entries else None


def _fitting(entries: Sequence[LexiconEntry], written: str, length: int) -> tuple[LexiconEntry, ...]:
    """Return the entries whose case fits, the most specific first: those for a part of speech, case or accent.

    Of an `exact` one, the first `length` characters must be the same.
    """
    fitting = [entry for entry in entries if entry.case != EXACT_CASE or _same_case(entry.word, written, length)]
    fitting.sort(key=lambda entry: (RANKS[entry.part_of_speech], entry.case != EXACT_CASE, entry.language == ENGLISH))
    return tuple(fitting)


def _replacement(rule: LexiconEntry, match: Any) -> str:
    return str(match.expand(rule.say))


def _same_case(word: str, written: str, length: int) -> bool:
    ours, theirs = ("".join(_plain(text).split()) for text in (word, written))
    length -= word.count(" ")
    return ours[:length] == theirs[:length]


class _Markup:
    """The markup of a text, asked about one place after the other."""

    def __init__(self, text: str) -> None:
        self._spans = deque(match.span() for match in INLINE.finditer(text))

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether any markup is between `start`, which never decreases, and `end`."""
        while self._spans and self._spans[0][1] <= start:
            self._spans.popleft()
        return bool(self._spans) and self._spans[0][0] < end


class RuleFinder:
    """Finds the matches of a rule outside markup; raises `TimeoutError` if that takes too long."""

    def __init__(self, rule: LexiconEntry) -> None:
        self._pattern = rule.compiled()

    def finditer(self, text: str) -> Iterator[Any]:
        """Yield the matches that are not empty."""
        markup = _Markup(text)
        for match in list(self._pattern.finditer(text, timeout=LIMIT_SECONDS)):
            if match.start() < match.end() and not markup.overlaps(*match.span()):
                yield match


def matches(text: str, entry: LexiconEntry) -> Sequence[Span]:
    """Return the places of a text that an entry changes; with a part of speech, all places where it may.

    Loads misaki, for words with endings. Raises `InvalidRequest` for a pattern that takes too long.
    """
    untagged = without_preset_tags(text)
    if not entry.pattern:
        language = entry.languages()[0]
        found = LexiconIndex([entry], language.english).find(untagged.text, ending_finder(language))
        return [untagged.written_span(each.start, each.end) for each in found]
    try:
        return [untagged.written_span(*match.span()) for match in RuleFinder(entry).finditer(untagged.text)]
    except TimeoutError as error:
        raise InvalidRequest(f"The pattern “{entry.pattern}” takes too long.", "Simplify it.") from error


@lru_cache(maxsize=len(LANGUAGES))
def ending_finder(language: Language) -> FindEnding:
    """Return the function that finds words with endings in a language; loads misaki for English."""
    if not language.english:
        return lambda word, is_entry: None
    from engine.text.g2p.analysis import import_spacy

    import_spacy()
    from engine.text.g2p.endings import Endings  # loads misaki and spaCy
    from engine.text.g2p.lexicon import Lexicon

    return Endings(Lexicon(language.british)).of
