"""Pronunciations given in a text or by the user’s lexicon, instead of those found for its words.

`[Kokoro](/kˈOkəɹO/)`, `[very](+2)`, `[123](#&#)` and the é of “résumé” give a pronunciation. While the text around such
a word is rewritten, a placeholder stands for it, which tells whether it begins with a capital letter, as names do after
“Dr.”.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge

from engine.speech import PronunciationSource
from engine.text.g2p.draft import Draft
from engine.text.languages import Language

PLACEHOLDER = "\ue000"
NAME_PLACEHOLDER = "\ue001"
"""Stands for a word that begins with a capital letter."""
PLACEHOLDERS = PLACEHOLDER + NAME_PLACEHOLDER
CAPITAL = f"[A-Z{NAME_PLACEHOLDER}]"
"""The beginning of a name or a sentence."""
_ANY_PLACEHOLDER = re.compile(f"[{PLACEHOLDERS}]")
REPLACEMENT = "\ufffd"
INLINE = re.compile(
    r"\[(?P<text>[^\[\]\n]{1,200})\]\((?:/(?P<phonemes>[^/()\n]{1,2000})/+|(?P<stress>[+-]?(?:[0-2]|0\.5))"
    r"|\#(?P<flags>[&an]*)\#)\)"
)
ACCENTED = re.compile(r"(?<!\w)(?=\w*[éèÉÈ])[A-Za-zÀ-ÖØ-öø-ÿ]{1,40}(?!\w)")
SOUNDING = re.compile("(?:ée?s?$)|è", re.IGNORECASE)
"""Accents without which an English word would sound different or lose a syllable."""
ANYTHING = re.compile(".+", re.DOTALL)
NOT_PLAIN = re.compile(r"[^A-Za-z0-9' -]+")
NOT_LETTERS = re.compile(r"[^A-Za-z' -]+")
NOT_WORDS = re.compile(r"[^\w' -]+")
MAX_PLAIN_CHARACTERS = 60
_BOTH = (
    ("\u0361", ""), ("\u035c", ""), ("tʃ", "ʧ"), ("dʒ", "ʤ"), ("eɪ", "A"), ("aɪ", "I"), ("aʊ", "W"), ("ɔɪ", "Y"),
    ("ɚ", "əɹ"), ("ɝ", "ɜɹ"), ("g", "ɡ"), ("r", "ɹ"), ("ɫ", "l"), ("'", "ˈ"), ("’", "ˈ"), ("ʼ", "ˈ"), (",", "ˌ"),
    (":", "ː"), (".", ""), ("‿", ""), ("|", ""),
)  # fmt: skip
AMERICAN_IPA = (*_BOTH, ("oʊ", "O"), ("əʊ", "O"), ("ɜː", "ɜɹ"), ("ɹɹ", "ɹ"), ("ː", ""), ("e", "ɛ"), ("o", "ɔ"))
BRITISH_IPA = (*_BOTH, ("oʊ", "Q"), ("əʊ", "Q"), ("eə", "ɛː"), ("ɛə", "ɛː"), ("e", "ɛ"), ("o", "ɔ"))
OTHER_IPA = (
    ("a\u0361ɪ", "I"), ("a\u0361ʊ", "W"), ("e\u0361ɪ", "A"), ("o\u0361ʊ", "O"), ("ə\u0361ʊ", "Q"), ("ɔ\u0361ɪ", "Y"),
    ("\u0361", ""), ("\u035c", ""), ("tʃ", "ʧ"), ("dʒ", "ʤ"), ("ts", "ʦ"), ("dz", "ʣ"), ("tɕ", "ʨ"), ("dʑ", "ʥ"),
    ("g", "ɡ"), ("'", "ˈ"), ("’", "ˈ"), ("ʼ", "ˈ"), (",", "ˌ"), (":", "ː"), (".", ""), ("‿", ""), ("|", ""),
)  # fmt: skip
"""Conversions from common IPA to the one symbol per sound that Kokoro was trained with, as misaki does by language."""


@dataclass(frozen=True)
class Override:
    """A pronunciation of the characters `start` to `end`: by phonemes, stress (-2 to 2) or number flags.

    `by_class` are phonemes for single parts of speech, as pairs in the order in which they are tried; `phonemes` are
    for all others. If both are missing, the words are pronounced as usual. `source` is the origin of the phonemes.
    """

    start: int
    end: int
    phonemes: str | None = None
    stress: float | None = None
    number_flags: str | None = None
    by_class: tuple[tuple[str, str], ...] = ()
    source: PronunciationSource = PronunciationSource.MARKUP

    def moved(self, offset: int) -> Override:
        """Return this override, moved by `offset` characters."""
        return replace(self, start=self.start + offset, end=self.end + offset)


@dataclass(frozen=True)
class MaskedText:
    """A word behind a placeholder, and its pronunciation, whose offsets are not known yet."""

    text: str
    override: Override | None


@dataclass(frozen=True)
class _WithOverrides:
    """Finds the characters of overrides, and the matches of a pattern elsewhere."""

    pattern: re.Pattern[str]
    overrides: Sequence[Override]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        places = (ANYTHING.fullmatch(text, each.start, each.end) for each in self.overrides)
        found = (place for place in places if place is not None)
        return merge(found, self.pattern.finditer(text), key=lambda match: match.start())


def set_aside(draft: Draft, overrides: Sequence[Override] = ()) -> list[MaskedText]:
    """Replace each word with a given pronunciation by a placeholder; return these words in order.

    `overrides` are further pronunciations of the untouched draft, in order; their words do not overlap those of markup.
    """
    draft.rewrite(_ANY_PLACEHOLDER, lambda match: REPLACEMENT)
    words: list[MaskedText] = []
    places = {(each.start, each.end): each for each in overrides}

    def keep(match: re.Match[str]) -> str | None:
        override = places.get(match.span())
        if override is not None:
            text = _letters_of(match[0], draft.language)
            words.append(MaskedText(text, replace(override, start=0, end=len(text))))
            return _placeholder(match[0])
        word = _parsed(match, draft.language)
        if word is None:
            return None
        words.append(word)
        return _placeholder(match["text"] or match[0])

    pattern = re.compile(f"{INLINE.pattern}|{ACCENTED.pattern}") if draft.language.english else INLINE
    draft.rewrite(_WithOverrides(pattern, overrides), keep)
    return words


def put_back(draft: Draft, words: Iterable[MaskedText]) -> list[Override]:
    """Replace the placeholders by their words; return their pronunciations, with offsets."""
    waiting = iter(words)
    overrides: list[Override] = []
    grown = 0

    def restore(match: re.Match[str]) -> str:
        nonlocal grown
        word = next(waiting)
        if word.override is not None:
            overrides.append(word.override.moved(match.start() + grown))
        grown += len(word.text) - 1
        return word.text

    draft.rewrite(_ANY_PLACEHOLDER, restore)
    return overrides


def _placeholder(word: str) -> str:
    return NAME_PLACEHOLDER if word.lstrip()[:1].isupper() else PLACEHOLDER


def _parsed(match: re.Match[str], language: Language) -> MaskedText | None:
    """Return the word of an inline pronunciation or with an accent; None if its text has to be rewritten."""
    if match["text"] is None:
        return MaskedText(match[0], None) if SOUNDING.search(match[0]) else None
    if match["phonemes"] is not None:
        phonemes = to_misaki(match["phonemes"], language)
        if not phonemes:
            return None
        text = _letters_of(match["text"], language)
        return MaskedText(text, Override(0, len(text), phonemes=phonemes))
    if not language.english:
        return None  # stress and number flags are misaki's rules for English
    text = match["text"].strip()
    if not text or NOT_PLAIN.search(text) or len(text) > MAX_PLAIN_CHARACTERS:
        return None
    if match["stress"] is not None:
        return MaskedText(text, Override(0, len(text), stress=float(match["stress"])))
    return MaskedText(text, Override(0, len(text), number_flags=match["flags"]))


def _letters_of(text: str, language: Language) -> str:
    """Return the letters of a word with given phonemes, which are never read; at least one."""
    rest = NOT_LETTERS if language.english else NOT_WORDS
    return " ".join(rest.sub("", text).split()).strip("'-") or "x"


def to_misaki(phonemes: str, language: Language) -> str:
    """Convert phonemes in common IPA or in misaki's letters to misaki's letters, with single spaces."""
    english = BRITISH_IPA if language.british else AMERICAN_IPA
    for theirs, ours in english if language.english else OTHER_IPA:
        phonemes = phonemes.replace(theirs, ours)
    return " ".join(phonemes.split())
