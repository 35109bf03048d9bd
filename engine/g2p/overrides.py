"""Pronunciations that a writer gives: `[Kokoro](/kˈOkəɹO/)`, `[very](+2)`, `[123](#&#)`, and the é of “résumé”.

While the text around them is rewritten, a placeholder stands for each such word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.g2p.draft import Draft
from engine.languages import Language

PLACEHOLDER = "\ue000"
REPLACEMENT = "\ufffd"
INLINE = re.compile(
    r"\[(?P<text>[^\[\]\n]{1,200})\]\((?:/(?P<phonemes>[^/()\n]{1,2000})/+|(?P<stress>[+-]?(?:[0-2]|0\.5))"
    r"|\#(?P<flags>[&an]*)\#)\)"
)
ACCENTED = re.compile(r"(?<!\w)(?=\w*[éèÉÈ])[A-Za-zÀ-ÖØ-öø-ÿ]{1,40}(?!\w)")
SOUNDING = re.compile("(?:ée?s?$)|è", re.IGNORECASE)
"""Accents without which an English word would sound different or lose a syllable."""
NOT_PLAIN = re.compile(r"[^A-Za-z0-9' -]+")
NOT_LETTERS = re.compile(r"[^A-Za-z' -]+")
NOT_WORDS = re.compile(r"[^\w' -]+")
LONGEST_PLAIN_CHARACTERS = 60
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
"""Common IPA to the one symbol per sound that Kokoro was trained with, as misaki converts it for each language."""


@dataclass(frozen=True)
class Override:
    """How to speak the characters `start` to `end`: by phonemes, stress (-2 to 2) or number flags."""

    start: int
    end: int
    phonemes: str | None = None
    stress: float | None = None
    number_flags: str | None = None

    def moved(self, offset: int) -> Override:
        """This override, moved by `offset` characters."""
        return replace(self, start=self.start + offset, end=self.end + offset)


@dataclass(frozen=True)
class SetAside:
    """A word behind a placeholder, and how to speak it; its offsets are not known yet."""

    text: str
    override: Override | None


def set_aside(draft: Draft) -> list[SetAside]:
    """Replace each word whose pronunciation is given by a placeholder; returns those words in order."""
    draft.rewrite(re.compile(PLACEHOLDER), lambda match: REPLACEMENT)
    words: list[SetAside] = []

    def keep(match: re.Match[str]) -> str | None:
        word = _parsed(match, draft.language)
        if word is None:
            return None
        words.append(word)
        return PLACEHOLDER

    pattern = re.compile(f"{INLINE.pattern}|{ACCENTED.pattern}") if draft.language.english else INLINE
    draft.rewrite(pattern, keep)
    return words


def put_back(draft: Draft, words: Iterable[SetAside]) -> list[Override]:
    """Replace the placeholders by their words; returns how to speak these, with their offsets."""
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

    draft.rewrite(re.compile(PLACEHOLDER), restore)
    return overrides


def _parsed(match: re.Match[str], language: Language) -> SetAside | None:
    """The word of an inline pronunciation, or with an accent; `None` if its text needs rewriting itself."""
    if match["text"] is None:
        return SetAside(match[0], None) if SOUNDING.search(match[0]) else None
    if match["phonemes"] is not None:
        phonemes = to_misaki(match["phonemes"], language)
        if not phonemes:
            return None
        rest = NOT_LETTERS if language.english else NOT_WORDS
        text = " ".join(rest.sub("", match["text"]).split()).strip("'-") or "x"
        return SetAside(text, Override(0, len(text), phonemes=phonemes))
    if not language.english:
        return None  # stress and the reading of numbers are rules of misaki's for English
    text = match["text"].strip()
    if not text or NOT_PLAIN.search(text) or len(text) > LONGEST_PLAIN_CHARACTERS:
        return None
    if match["stress"] is not None:
        return SetAside(text, Override(0, len(text), stress=float(match["stress"])))
    return SetAside(text, Override(0, len(text), number_flags=match["flags"]))


def to_misaki(phonemes: str, language: Language) -> str:
    """Phonemes in common IPA or in misaki's letters, converted to misaki's letters, with single spaces."""
    english = BRITISH_IPA if language.british else AMERICAN_IPA
    for theirs, ours in english if language.english else OTHER_IPA:
        phonemes = phonemes.replace(theirs, ours)
    return " ".join(phonemes.split())
