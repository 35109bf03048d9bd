"""Counts the sentences that our front end and Kokoro's own pronounce alike, and says why the others differ."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InvalidRequest
from engine.models.checkpoints import FULL_SIZE, model_config
from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import (
    MODEL_NAME,
    Analyzer,
    Homographs,
    import_spacy,
    load_model_analyzer,
    load_offline_analyzer,
)
from engine.text.g2p.normalize import normalize
from engine.text.g2p.pieces import PUNCTUATION
from engine.text.languages import AMERICAN, BRITISH, Language, language_of

if TYPE_CHECKING:
    from engine.validator.experiments.upstream_text import UpstreamText

OFFLINE_TAGGER = "the offline tagger"
CORRECTED = re.compile(r"\b(?:lead|houses|Bronte)\b", re.IGNORECASE)
"""Words for which misaki has one pronunciation too few, or a wrong one; see `engine.text.g2p.lexicon`."""
PLAIN = re.compile(r"""(?!.*\b[IVXLC]{2})(?!.*\b[A-Z]{2,}[^\w]+[A-Z]{2,}\b)[A-Za-z ,;:!?'"‘’“”()—…-]*\.?['"’”)]*""")
"""Text without digits, signs, Roman numerals or shouts, and with no dot before the last, hence no abbreviations."""


class DifferenceKind(StrEnum):
    """The reason why the phonemes of a sentence differ."""

    FAILURE = "misaki fails on the sentence as it is written"
    SYMBOLS = "kokoro’s phonemes have symbols that its model doesn’t know and drops"
    PUNCTUATION = "only pauses and quotation marks differ"
    NUMBERS = "we write out numbers, dates, and units before misaki sees them"
    LETTERS = "we leave out silent accents, and write other alphabets in Latin letters"
    WRITING = (
        "we write out abbreviations, Roman numerals, and signs before misaki sees them, and shouts in small letters"
    )
    CORRECTED = "we pronounce a word differently from misaki’s lexicon"
    PRONUNCIATION = "the same words are pronounced differently"


@dataclass(frozen=True)
class Difference:
    """A sentence, its phonemes from both sides (`upstream` is empty if misaki fails), and why they differ."""

    text: str
    ours: str
    upstream: str
    kind: DifferenceKind


@dataclass(frozen=True)
class TextParity:
    """The result: `sentences` is their number, `plain` that of sentences without digits, signs and abbreviations."""

    language: str
    tagger: str
    sentences: int
    plain: int
    differences: tuple[Difference, ...]

    @property
    def equal(self) -> int:
        """The number of sentences with the same phonemes."""
        return self.sentences - len(self.differences)

    @property
    def plain_equal(self) -> int:
        """The number of plain sentences with the same phonemes."""
        return self.plain - sum(is_plain(difference.text) for difference in self.differences)

    @property
    def explained(self) -> bool:
        """True if all differences are intended."""
        return all(difference.kind is not DifferenceKind.PRONUNCIATION for difference in self.differences)

    def to_dict(self) -> dict[str, Any]:
        """Return all sentences that differ and the sums, as plain values for `json.dump`."""
        return {**asdict(self), "equal": self.equal, "plain_equal": self.plain_equal}

    def to_text(self) -> str:
        """Return the sums, then the sentences that differ, grouped by reason."""
        lines = [
            f"{self.equal} of {self.sentences} sentences have the same phonemes as kokoro’s own G2P"
            f" ({self.language}, tagged by {self.tagger}); of {self.plain} plain ones, {self.plain_equal}.",
            *(line for kind in DifferenceKind for line in self._listed(kind)),
        ]
        return "\n".join(lines)

    def _listed(self, kind: DifferenceKind) -> list[str]:
        found = [difference for difference in self.differences if difference.kind is kind]
        heading = [f"\n{len(found)}: {kind}."] if found else []
        return [*heading, *(f"  {one.text}\n    ours   {one.ours}\n    kokoro {one.upstream}" for one in found)]


def sentences_of(path: Path) -> tuple[str, ...]:
    """Return the nonempty lines of a text file; raises `InvalidRequest` if there are none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidRequest(f"{path} can’t be read ({error.strerror}).", "Name a text file.") from error
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{path} isn’t UTF-8 text.", "Save it as UTF-8 text first.") from error
    sentences = tuple(line.strip() for line in lines if line.strip())
    if not sentences:
        raise InvalidRequest(f"{path} has no text.", "Name a text file with a sentence in each line.")
    return sentences


def compare_text(sentences: Sequence[str], language: str = AMERICAN.tag) -> TextParity:
    """Pronounce every sentence with both front ends, with spaCy's model if installed, otherwise the offline tagger.

    Raises `InvalidRequest` for a language other than English, `NothingToSpeak` for a sentence without phonemes.
    """
    spoken = language_of(language)
    if not spoken.english:
        names = f"{AMERICAN.tag} or {BRITISH.tag}"
        raise InvalidRequest(f"{spoken.name} can’t be compared with kokoro’s G2P.", f"Choose {names}.")
    import_spacy()
    model = load_model_analyzer()
    tagger = OFFLINE_TAGGER if model is None else f"spaCy's {MODEL_NAME}"
    comparison = _Comparison(spoken, model)
    found = [difference for text in sentences if (difference := comparison.difference(text))]
    return TextParity(spoken.tag, tagger, len(sentences), sum(map(is_plain, sentences)), tuple(found))


def is_plain(text: str) -> bool:
    """Return whether a sentence has no digits, signs, numerals, abbreviations, shouts, or words that we correct."""
    return PLAIN.fullmatch(text) is not None and CORRECTED.search(text) is None


class _Comparison:
    """Both front ends, with one tagger."""

    def __init__(self, language: Language, model: Analyzer | None) -> None:
        def load(homographs: Homographs) -> Analyzer:
            return model or load_offline_analyzer(homographs)

        config = model_config(FULL_SIZE)
        self._language = language
        self._symbols = frozenset(config.vocab)
        self._ours = Phonemizer(language.tag, self._symbols, config.phoneme_limit, load_analyzer=load)
        self._upstream = _upstream(language, load)

    def difference(self, text: str) -> Difference | None:
        """Return the difference of the two on text; None if they agree."""
        ours = " ".join(utterance.phonemes for utterance in self._ours.plan(text).utterances)
        upstream = self._upstream.phonemes(text)
        return None if ours == upstream else Difference(text, ours, upstream or "", self._kind(text, ours, upstream))

    def _kind(self, text: str, ours: str, upstream: str | None) -> DifferenceKind:
        if upstream is None:
            return DifferenceKind.FAILURE
        if ours == "".join(symbol for symbol in upstream if symbol in self._symbols):
            return DifferenceKind.SYMBOLS
        if _without(ours, PUNCTUATION) == _without(upstream, PUNCTUATION):
            return DifferenceKind.PUNCTUATION
        if CORRECTED.search(text):
            return DifferenceKind.CORRECTED
        written = self._written(text)
        if ours != self._upstream.phonemes(written):
            return DifferenceKind.PRONUNCIATION
        return _kind_of_writing(text)

    def _written(self, text: str) -> str:
        """Return the text as it is spoken."""
        from engine.text.g2p.lexicon import Lexicon, WordsInCapitals  # loads misaki and spaCy

        known = WordsInCapitals(Lexicon(self._language.british))
        return normalize(text, self._language, known).sourced.text


def _upstream(language: Language, load: Any) -> UpstreamText:
    from engine.validator.experiments.upstream_text import UpstreamText  # loads misaki and spaCy

    return UpstreamText(language.british, load)


def _kind_of_writing(text: str) -> DifferenceKind:
    if any(character.isnumeric() for character in text):
        return DifferenceKind.NUMBERS
    foreign = any(character.isalpha() and not character.isascii() for character in text)
    return DifferenceKind.LETTERS if foreign else DifferenceKind.WRITING


def _without(phonemes: str, symbols: Collection[str]) -> str:
    return "".join(symbol for symbol in phonemes if symbol not in symbols)
