"""When the words of an utterance are heard."""

from __future__ import annotations

from collections.abc import Sequence

from engine.speech import Speech, SpokenPhoneme, SpokenWord, Utterance, WrittenWord


def spoken_words(utterance: Utterance, speech: Speech) -> tuple[SpokenWord, ...]:
    """The words of an utterance with their times in its finished speech, and those of their phonemes."""
    edges = speech.edges.tolist()
    return tuple(_spoken(word, utterance.phonemes, edges) for word in utterance.words)


def _spoken(word: WrittenWord, symbols: str, edges: Sequence[int]) -> SpokenWord:
    places = range(word.first_phoneme, word.end_phoneme)
    phonemes = tuple(SpokenPhoneme(symbols[place], edges[place], edges[place + 1]) for place in places)
    return SpokenWord(word.start, word.end, edges[places.start], edges[places.stop], phonemes)
