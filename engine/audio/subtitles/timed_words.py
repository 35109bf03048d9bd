"""Spoken words with their times in seconds and the surrounding punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from engine.speech import AudioChunk, SpokenPhoneme, SpokenWord
from engine.text.g2p.directions import DIRECTION, hide_preset_tags
from engine.text.g2p.overrides import INLINE

CLOSING = re.compile(r"[,.;:!?…。，、！？；：”’\"'»)\]}>]*(?:[ ]?(?:[—–-]+>?|[←→⇒]|<?[—–-]+)(?=\s|$)|[—–]+)?")
OPENING = re.compile(r"(?<!\w)[“‘\"'«(¿¡\[{<]+$")
LINK = re.compile(r"\[(?P<text>[^\[\]\n]{1,200})\]\([^()\s]{1,2000}\)")
HIDDEN = "\0"
"""The placeholder for characters of markup, which are not shown."""
MAX_OPENING_CHARACTERS = 20
SENTENCE_ENDS = frozenset(".!?…。！？")
CLAUSE_ENDS = frozenset(",;:—–)]，、；：")
PARAGRAPH = re.compile(r"\n[ \t]*\n")


class WordEnd(IntEnum):
    """The largest unit that ends with a word, in ascending order."""

    WORD = 0
    CLAUSE = 1
    SENTENCE = 2
    PARAGRAPH = 3


@dataclass(frozen=True)
class TimedPhoneme:
    """One of the model's symbols and its time in seconds."""

    symbol: str
    start_seconds: float
    end_seconds: float


@dataclass(frozen=True)
class TimedWord:
    """A word, `text`, at the characters `start` to `end` of the whole text, with its time in seconds.

    `shown` includes the punctuation, and `space` is true if a space follows.
    """

    text: str
    shown: str
    space: bool
    ends: WordEnd
    start: int
    end: int
    start_seconds: float
    end_seconds: float
    phonemes: tuple[TimedPhoneme, ...] = ()


def words_of(chunks: Iterable[AudioChunk]) -> list[SpokenWord]:
    """Return the words of consecutive chunks, with samples counted from the start of the first."""
    words: list[SpokenWord] = []
    length = 0
    for chunk in chunks:
        words += (_moved(word, length) for word in chunk.words)
        length += len(chunk.samples)
    return words


def timed_words(
    text: str, words: Sequence[SpokenWord], sample_rate_hz: int, start_seconds: float = 0.0, *, start: int = 0
) -> list[TimedWord]:
    """Return the words of a text; audio starts at `start_seconds`, and characters are counted from `start`."""
    timed = []
    untagged = hide_preset_tags(text, HIDDEN)
    shown = LINK.sub(lambda link: f"{HIDDEN}{link['text']}".ljust(len(link[0]), HIDDEN), untagged)
    before = shown[: words[0].start] if words else ""
    for index, word in enumerate(words):
        following = words[index + 1].start if index + 1 < len(words) else len(text)
        after = DIRECTION.sub(" ", shown[word.end : following]).replace(HIDDEN, "")
        closing = CLOSING.match(after)[0]  # type: ignore[index]  # it matches nothing, too
        opening = OPENING.search(before[-MAX_OPENING_CHARACTERS:].replace(HIDDEN, ""))
        written = untagged[word.start : word.end].replace(HIDDEN, "")
        written = " ".join(INLINE.sub(lambda match: match["text"], written).split())
        timed.append(
            TimedWord(
                written,
                f"{opening[0] if opening else ''}{written}{closing}",
                any(map(str.isspace, after)),
                _end(closing, after),
                start + word.start,
                start + word.end,
                start_seconds + word.start_sample / sample_rate_hz,
                start_seconds + word.end_sample / sample_rate_hz,
                tuple(_timed(phoneme, sample_rate_hz, start_seconds) for phoneme in word.phonemes),
            )
        )
        before = after[len(closing) :]
    return timed


def _end(closing: str, after: str) -> WordEnd:
    if PARAGRAPH.search(after):
        return WordEnd.PARAGRAPH
    if not SENTENCE_ENDS.isdisjoint(closing):
        return WordEnd.SENTENCE
    return WordEnd.WORD if CLAUSE_ENDS.isdisjoint(closing) else WordEnd.CLAUSE


def _timed(phoneme: SpokenPhoneme, sample_rate_hz: int, start_seconds: float) -> TimedPhoneme:
    times = (start_seconds + at / sample_rate_hz for at in (phoneme.start_sample, phoneme.end_sample))
    return TimedPhoneme(phoneme.symbol, *times)


def _moved(word: SpokenWord, samples: int) -> SpokenWord:
    phonemes = (
        SpokenPhoneme(each.symbol, each.start_sample + samples, each.end_sample + samples) for each in word.phonemes
    )
    return replace(
        word,
        start_sample=word.start_sample + samples,
        end_sample=word.end_sample + samples,
        phonemes=tuple(phonemes),
    )
