"""When the words of an utterance are heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.speech import Speech, SpokenPhoneme, SpokenWord, Utterance, WrittenWord


def earlier(speech: Speech, samples: int) -> Speech:
    """The speech with all phonemes so many samples earlier, none of them before its beginning."""
    return replace(speech, edges=np.maximum(speech.edges - samples, 0))


def spoken_words(utterance: Utterance, speech: Speech) -> tuple[SpokenWord, ...]:
    """The words of an utterance with their times in its finished speech, and those of their phonemes.

    What the model does in the frames of the space before a word sounds as the word's beginning, so they belong to it.
    """
    edges = speech.edges.tolist()
    return tuple(_spoken(word, utterance.phonemes, edges) for word in utterance.words)


def _spoken(word: WrittenWord, symbols: str, edges: Sequence[int]) -> SpokenWord:
    after_space = symbols[: word.first_phoneme].endswith(" ")
    times = edges[word.first_phoneme - after_space], *edges[word.first_phoneme + 1 : word.end_phoneme + 1]
    spoken = zip(symbols[word.first_phoneme : word.end_phoneme], pairwise(times), strict=True)
    phonemes = tuple(SpokenPhoneme(symbol, start, end) for symbol, (start, end) in spoken)
    return SpokenWord(word.start, word.end, times[0], times[-1], phonemes)
