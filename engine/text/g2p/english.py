"""Applies the rules of written English, and converts words to phonemes with misaki and its lexicon.

Unknown words are pronounced by their spelling, and pronunciations in the text are respected. Offsets are those of the
given text. Importing this module loads misaki and spaCy, so it is imported only where a `Phonemizer` is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from misaki import en
from misaki.token import MToken

from engine.speech import Notice, PronunciationSource, WordReading
from engine.text.g2p.analysis import Analyzer, Homographs, TaggedWord, without_signs
from engine.text.g2p.endings import Endings
from engine.text.g2p.homographs import ADJECTIVE, METAL, NOUN, VERB
from engine.text.g2p.letter_to_sound import LetterToSound
from engine.text.g2p.lexicon import Lexicon, WordsInCapitals
from engine.text.g2p.normalize import Normalized, normalize
from engine.text.g2p.overrides import Override
from engine.text.g2p.pieces import PHRASE_STARTERS, Ending, PronouncedWord
from engine.text.languages import Language

RATING_BY_SPELLING = 2
RATING_SPELLED = 1
"""Ratings on misaki's scale, where 3 and 4 are its lexicon."""

SIGNS = re.compile(r"[^\w'-]|_")
"""Signs that espeak would read by name."""
MISAKI_FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""The errors that misaki 0.9.4 raises on unexpected words."""
RATING_GIVEN = 5
RATING_BY_USER = 6
GIVEN_BY = {RATING_GIVEN: PronunciationSource.MARKUP, RATING_BY_USER: PronunciationSource.USER}
PARTS_OF_SPEECH = {
    "name": ("NNP",), "noun": ("NN", NOUN, METAL), "verb": ("VB", VERB), "adjective": ("JJ", ADJECTIVE),
    "adverb": ("RB", "WRB", "ADV"),
}  # fmt: skip
"""The beginnings of the tagger's tags, and the classes of homographs; a name also counts as a noun."""
FORMS = {
    "NOUN": "noun", "VERB": "verb", "ADJ": "adjective", "ADV": "adverb", "DT": "determiner", "VBD": "past tense",
    "VBN": "participle", "VBP": "present tense", "None": "stressed", METAL: "metal",
}  # fmt: skip
"""misaki's forms of a word that are pronounced differently."""
PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
NO_WORD_CLASSES = frozenset(("DEFAULT", "None", "DT"))
LoadAnalyzer = Callable[[Homographs], Analyzer]
WORD = re.compile(r"\S+")
LETTERS_THAT_ARE_WORDS = ("A", "I", "O")


class UnknownWords:
    """misaki's `fallback`: called with a token, returns its phonemes and a rating.

    Words that could not be pronounced are collected for `reports`.
    """

    def __init__(self, lexicon: Any, letter_to_sound: LetterToSound | None) -> None:
        self._lexicon = lexicon
        self._letter_to_sound = letter_to_sound
        self._problems: list[tuple[str, int, int]] = []
        self._sources: dict[int, PronunciationSource] = {}

    def __call__(self, token: Any) -> tuple[str, int]:
        """Return the phonemes and the rating of a token; no phonemes if it contains nothing to speak."""
        if not any(map(str.isalnum, token.text)):
            return "", RATING_SPELLED
        spelling = SIGNS.sub(" ", token.text)
        phonemes = self._letter_to_sound.phonemes(spelling) if self._letter_to_sound else ""
        self._sources[int(token.start_ts)] = PronunciationSource.ESPEAK if phonemes else PronunciationSource.LETTERS
        return (phonemes, RATING_BY_SPELLING) if phonemes else (self._spell(token), RATING_SPELLED)

    def sources(self) -> dict[int, PronunciationSource]:
        """Return the sources of the phonemes of words since the last call, by their starts."""
        sources, self._sources = self._sources, {}
        return sources

    def reports(self) -> list[tuple[str, int, int]]:
        """Return the message, start and end of each word that was not pronounced since the last call."""
        problems, self._problems = self._problems, []
        return problems

    def _spell(self, token: Any) -> str:
        letters = [self._lexicon.get_NNP(letter)[0] for letter in token.text if letter.isalpha()]
        phonemes = " ".join(letter for letter in letters if letter)
        what = "is spelled out" if phonemes else "is skipped"
        message = f"“{token.text}” isn’t in the dictionary, so it {what}."
        self._problems.append((message, int(token.start_ts), int(token.end_ts)))
        return phonemes


def load_letter_to_sound(british: bool) -> LetterToSound | None:
    """Load pronunciation by spelling; None if its library cannot be loaded."""
    try:
        return LetterToSound(british)
    except (AttributeError, OSError):
        return None


class _G2P(en.G2P):
    """misaki's G2P with our analyzer; its own constructor would download a spaCy model."""

    def __init__(self, british: bool, load_analyzer: LoadAnalyzer) -> None:
        self.version = None
        self.british = british
        self.lexicon = Lexicon(british)
        self.nlp = load_analyzer(homographs(self.lexicon.golds.dependent()))
        self.fallback = self.lexicon.fallback = UnknownWords(self.lexicon, load_letter_to_sound(british))
        self.unk = ""

    def tokenize(self, text: str, tokens: Sequence[str], features: Sequence[Override]) -> list[MToken]:
        """Return the tokens of misaki; their time stamps, which misaki leaves unchanged, carry the offsets."""
        borders = {border for override in features for border in (override.start, override.end)}
        words = [part for word in self.nlp(text) for part in without_signs(word)]
        result = [_token(word) for word in _cut(words, borders)]
        for override in features:
            _apply(override, [token for token in result if override.start <= token.start_ts < override.end])
        return result


class Pronouncer:
    """Pronounces one sentence at a time in one variety of English."""

    def __init__(self, british: bool, load_analyzer: LoadAnalyzer) -> None:
        self._g2p = _G2P(british, load_analyzer)

    @property
    def lexicon(self) -> Lexicon:
        """The lexicon of known words."""
        return self._g2p.lexicon

    @property
    def unknown_words(self) -> UnknownWords:
        """The fallback for words that the lexicon lacks."""
        return self._g2p.fallback

    def pronounce(self, text: str, overrides: Sequence[Override] = ()) -> list[PronouncedWord]:
        """Return the words of a sentence, which has single spaces between words and none at its ends."""
        try:
            return self._words(text, overrides)
        except MISAKI_FAILURES:
            return [spoken for match in WORD.finditer(text) for spoken in self._alone(text, match, overrides)]

    def _words(self, text: str, overrides: Sequence[Override]) -> list[PronouncedWord]:
        _, tokens = self._g2p(text, preprocess=lambda text: (text, [], overrides))
        by_spelling = self.unknown_words.sources()
        return [self._spoken(token, by_spelling.get(int(token.start_ts))) for token in tokens]

    def _alone(self, text: str, word: re.Match[str], overrides: Sequence[Override]) -> list[PronouncedWord]:
        """Return one word of a sentence on which misaki failed, by its spelling if misaki also fails on it alone."""
        start, end = word.span()
        inside = [o.moved(-start) for o in overrides if start <= o.start < end]
        try:
            spoken = self._words(word[0], inside)
        except MISAKI_FAILURES:
            token = _token(TaggedWord(word[0], "NN", False, 0))
            phonemes = self.unknown_words(token)[0]
            source = self.unknown_words.sources()[0]
            spoken = [PronouncedWord(word[0], phonemes, 0, end - start, space=False, source=source)]
        moved = [replace(item, start=item.start + start, end=item.end + start) for item in spoken]
        return [*moved[:-1], replace(moved[-1], space=end < len(text))] if moved else []

    def _spoken(self, token: Any, by_spelling: PronunciationSource | None) -> PronouncedWord:
        start, end = int(token.start_ts), int(token.end_ts)
        source = GIVEN_BY.get(token._.rating) or by_spelling or self._source(token)
        return PronouncedWord(token.text, token.phonemes or "", start, end, bool(token.whitespace), source=source)

    def _source(self, token: Any) -> PronunciationSource:
        """Return whether the lexicon has a word, or only its letters."""
        letters = token.text.replace(".", "")
        if not letters.isalpha() or letters in LETTERS_THAT_ARE_WORDS or not (letters.isupper() or "." in token.text):
            return PronunciationSource.LEXICON
        spelled = self._g2p.lexicon.get_NNP(letters)[0] or ""
        is_spelled = _unstressed(spelled) == _unstressed(token.phonemes or "")
        return PronunciationSource.LETTERS if is_spelled else PronunciationSource.LEXICON


def _unstressed(phonemes: str) -> str:
    return "".join(symbol for symbol in phonemes if symbol not in en.STRESSES).replace("ɾ", "T").replace("ʔ", "t")


def homographs(lexicon: Mapping[str, str | Mapping[str, str | None]]) -> dict[str, frozenset[str]]:
    """Return the words of the lexicon whose pronunciation depends on their part of speech, with their classes."""
    found = {}
    for word, entry in lexicon.items():
        if not isinstance(entry, str) and word.islower():
            classes = frozenset(entry) - NO_WORD_CLASSES
            if classes:
                found[word] = classes
    return found


def _cut(words: Sequence[TaggedWord], borders: set[int]) -> list[TaggedWord]:
    """Split words where an override begins or ends inside them."""
    pieces: list[TaggedWord] = []
    for word in words:
        inner = sorted(border for border in borders if word.start < border < word.end)
        for start, end in pairwise([word.start, *inner, word.end]):
            text = word.text[start - word.start : end - word.start]
            pieces.append(TaggedWord(text, word.tag, word.space and end == word.end, start))
    return pieces


def _token(word: TaggedWord) -> MToken:
    return MToken(
        text=word.text,
        tag=word.tag,
        whitespace=" " if word.space else "",
        start_ts=word.start,
        end_ts=word.end,
        _=MToken.Underscore(is_head=True, num_flags="", prespace=False),
    )


def _apply(override: Override, tokens: Sequence[MToken]) -> None:
    phonemes = _chosen(override, [token.tag for token in tokens])
    for index, token in enumerate(tokens):
        if phonemes is not None:
            token.phonemes = "" if index else phonemes
            token._.is_head = index == 0
            token._.rating = RATING_BY_USER if override.source == PronunciationSource.USER else RATING_GIVEN
        if override.stress is not None:
            token._.stress = override.stress
        if override.number_flags is not None:
            token._.num_flags = override.number_flags


def _chosen(override: Override, tags: Sequence[str]) -> str | None:
    """Return the phonemes for words with these tags; the first one of several decides."""
    for name, phonemes in override.by_class:
        if tags and tags[0].startswith(PARTS_OF_SPEECH[name]):
            return phonemes
    return override.phonemes


class EnglishFrontEnd:
    """American or British English; see `FrontEnd`."""

    phrase_starters = PHRASE_STARTERS

    def __init__(self, language: Language, load_analyzer: Callable[[Homographs], Analyzer]) -> None:
        self._language = language
        self._pronouncer = Pronouncer(language.british, load_analyzer)
        self._known = WordsInCapitals(self._pronouncer.lexicon)
        self._endings = Endings(self._pronouncer.lexicon)

    def normalize(self, text: str, overrides: Sequence[Override] = ()) -> Normalized:
        """Apply every rule of written English."""
        return normalize(text, self._language, self._known, overrides)

    def pronounce(self, text: str, overrides: Sequence[Override]) -> list[PronouncedWord]:
        """Return the words as in the lexicon, or by their spelling if it lacks them."""
        return self._pronouncer.pronounce(text, overrides)

    def ending(self, word: str, is_entry: Callable[[str], bool]) -> tuple[str, Ending] | None:
        """Return the entry of which a word is a regular form by misaki's rules, and its ending."""
        return self._endings.of(word, is_entry)

    def readings(self, word: str) -> list[WordReading]:
        """Return the pronunciations by the lexicon, as letters and by spelling; those of this accent first."""
        if not PLAIN_WORD.fullmatch(word):
            return []
        word = word.replace("’", "'")
        found: list[WordReading] = []
        for british in (self._language.british, not self._language.british):
            lexicon = Lexicon(british)
            forms = Endings(lexicon).forms(word)
            for phonemes in dict.fromkeys(forms[form] for form in sorted(forms, key=lambda form: form in FORMS)):
                same = [FORMS.get(form, "") for form, each in forms.items() if each == phonemes]
                found.append(
                    WordReading(phonemes, PronunciationSource.LEXICON, british, "" if "" in same else ", ".join(same))
                )
            if word.isupper() and (letters := lexicon.get_NNP(word)[0]):
                found.append(WordReading(letters, PronunciationSource.LETTERS, british))
            if (rules := load_letter_to_sound(british)) and (sounds := rules.phonemes(word)):
                found.append(WordReading(sounds, PronunciationSource.ESPEAK, british))
        return found

    def reports(self) -> list[Notice]:
        """Return notices of the words that had to be spelled or left out."""
        return [Notice(*report) for report in self._pronouncer.unknown_words.reports()]
