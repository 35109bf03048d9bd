"""Which word of a growing speech is heard when, and where a character of its text is heard."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from engine.speech import AudioChunk, SpokenWord


@dataclass(frozen=True)
class _Chunk:
    """What speaks the characters up to `end`, from `start_sample` on; `words` are counted from the speech's start."""

    end: int
    start_sample: int
    words: tuple[SpokenWord, ...]


class WordTimes:
    """Takes the words of each chunk as it arrives; its samples are counted from the start of the speech."""

    def __init__(self) -> None:
        self._chunks: list[_Chunk] = []

    def insert(self, number: int, chunk: AudioChunk, start_sample: int) -> None:
        """Insert the words of the chunk of this number, from 0, that is heard from `start_sample` on."""
        self._chunks.insert(number, _Chunk(chunk.utterance.end, start_sample, _later(chunk.words, start_sample)))

    def move(self, number: int, by: int) -> None:
        """Let the chunks from this number on be heard so many samples later."""
        self._chunks[number:] = [
            replace(each, start_sample=each.start_sample + by, words=_later(each.words, by))
            for each in self._chunks[number:]
        ]

    def cut(self, count: int) -> None:
        """Drop the words of all chunks but the first `count`."""
        del self._chunks[count:]

    def of_chunk(self, number: int) -> tuple[SpokenWord, ...]:
        """The words of the chunk of this number, from 0, in the order of their sounds."""
        return self._chunks[number].words

    def around(self, sample: int) -> tuple[SpokenWord, ...]:
        """The words of the chunk that is heard at this sample; none while they are unknown."""
        index = bisect_right(self._chunks, sample, key=lambda chunk: chunk.start_sample) - 1
        return self._chunks[index].words if index >= 0 else ()

    def at(self, sample: int) -> SpokenWord | None:
        """The word heard at this sample, or else the last one before it in the same chunk."""
        words = self.around(sample)
        index = bisect_right(words, sample, key=lambda word: word.start_sample) - 1
        return words[index] if index >= 0 else None

    def sample_of(self, character: int) -> int | None:
        """Where the word at this character, or the first one after it, begins to be heard; None if it is not made.

        Where the words of an utterance are unknown, this is the utterance's start.
        """
        for chunk in self._chunks:
            if not chunk.words and character < chunk.end:
                return chunk.start_sample
            if chunk.words and character < chunk.words[-1].end:
                return next(word.start_sample for word in chunk.words if character < word.end)
        return None


def _later(words: tuple[SpokenWord, ...], by: int) -> tuple[SpokenWord, ...]:
    """The words so many samples later; their phonemes are not kept."""
    return tuple(SpokenWord(word.start, word.end, word.start_sample + by, word.end_sample + by) for word in words)
