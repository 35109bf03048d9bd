"""Which word of a growing speech is heard when, and where a character of its text is heard."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from engine.speech import AudioChunk, SpokenWord


@dataclass(frozen=True)
class _Utterance:
    """The characters `start` to `end`, heard from `start_sample` on in the words of these numbers."""

    start: int
    end: int
    start_sample: int
    first_word: int
    last_word: int


class WordTimes:
    """Takes the words of each chunk as it arrives; its samples are counted from the start of the speech."""

    def __init__(self) -> None:
        self._words: list[SpokenWord] = []
        self._start_samples: list[int] = []
        self._utterances: list[_Utterance] = []

    def append(self, chunk: AudioChunk, start_sample: int) -> None:
        """Append the words of a chunk that is heard from `start_sample` on."""
        first = len(self._words)
        for word in chunk.words:
            start, end = start_sample + word.start_sample, start_sample + word.end_sample
            self._words.append(SpokenWord(word.start, word.end, start, end))
            self._start_samples.append(start)
        utterance = chunk.utterance
        self._utterances.append(_Utterance(utterance.start, utterance.end, start_sample, first, len(self._words)))

    def of_chunk(self, number: int) -> list[SpokenWord]:
        """The words of the chunk of this number, from 0, in the order of their sounds."""
        utterance = self._utterances[number]
        return self._words[utterance.first_word : utterance.last_word]

    def at(self, sample: int) -> SpokenWord | None:
        """The word heard at this sample, or else the last one before it."""
        index = bisect_right(self._start_samples, sample) - 1
        return self._words[index] if index >= 0 else None

    def sample_of(self, character: int) -> int | None:
        """Where the word at this character, or the first one after it, begins to be heard; None if it is not made.

        Where the words of an utterance are unknown, this is the utterance's start.
        """
        for number, utterance in enumerate(self._utterances):
            if character < utterance.end:
                words = self.of_chunk(number)
                if not words:
                    return utterance.start_sample
                if character < words[-1].end:
                    return next(word.start_sample for word in words if character < word.end)
        return None
