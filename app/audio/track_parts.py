"""What a track keeps: runs of utterances and gaps between them, the times of words, and samples on disk."""

from __future__ import annotations

import os
import tempfile
import weakref
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from app.audio.peak_pyramid import PeakPyramid
from engine.speech import AudioChunk, Plan, Samples, SpokenWord, Utterance
from engine.system.paths import cache_folder

SAMPLE_BYTES = 4


@dataclass(frozen=True)
class Gap:
    """The samples from `start` to `end` are a guess at how long the characters `first` to `last` will take."""

    start: int
    end: int
    first: int
    last: int


@dataclass
class Run:
    """Utterances made one after the other, heard from sample `start` and speaking the text from `character` on.

    After the first `planned_from` of the `count` that are made comes what `plan` says. One that is `joined` has nothing
    missing between it and the next one. `first_index` is the number of its first utterance in the whole speech.
    """

    start: int = 0
    character: int = 0
    count: int = 0
    planned_from: int = 0
    plan: Plan = field(default_factory=lambda: Plan(()))
    joined: bool = False
    first_index: int = 0
    peaks: PeakPyramid = field(default_factory=PeakPyramid)


def numbered(utterance: Utterance, index: int) -> Utterance:
    """The utterance with this number in the whole speech."""
    return utterance if utterance.index == index else replace(utterance, index=index)


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


class SampleFile:
    """Samples that can be appended and read; positions are samples from the start.

    The file has no name, so that it is gone with the process, however that ends. It is read, not mapped: what is mapped
    counts as memory of the process. What cannot be written, as on a full disk, stays in memory, so that the speech goes
    on.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._descriptor: int | None = None
        self._filed = 0
        self._rest: list[Samples] = []
        self.length = 0

    @property
    def kept_in_memory(self) -> int:
        """The number of samples that could not be written."""
        return self.length - self._filed

    def append(self, samples: Samples) -> None:
        """Append `samples` [n]."""
        if self.kept_in_memory or not self._written(samples):
            self._rest.append(samples)
        self.length += len(samples)

    def cut(self, length: int) -> None:
        """Drop what is behind so many samples."""
        self._rest = [self.read(self._filed, length)] if length > self._filed else []
        self._filed = min(self._filed, length)
        self.length = length

    def read(self, start: int, end: int) -> Samples:
        """The samples from `start` to `end`, or to the end of what is here."""
        end = min(end, self.length)
        filed = self._read_filed(start, min(end, self._filed))
        if end <= self._filed:
            return filed
        rest = np.concatenate(self._rest)[max(start - self._filed, 0) : end - self._filed]
        return np.concatenate([filed, rest])

    def _written(self, samples: Samples) -> bool:
        try:
            content = np.ascontiguousarray(samples, np.float32).tobytes()
            place = self._filed * SAMPLE_BYTES
            while content:
                done = os.pwrite(self._opened(), content, place)
                content, place = content[done:], place + done
        except OSError:
            return False
        self._filed += len(samples)
        return True

    def _read_filed(self, start: int, end: int) -> Samples:
        if start >= end:
            return np.zeros(0, np.float32)
        content = os.pread(self._opened(), (end - start) * SAMPLE_BYTES, start * SAMPLE_BYTES)
        return np.frombuffer(content, np.float32)

    def _opened(self) -> int:
        if self._descriptor is None:
            folder = self._folder or cache_folder() / "speech"
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor, name = tempfile.mkstemp(dir=folder)
            weakref.finalize(self, os.close, self._descriptor)
            Path(name).unlink()
        return self._descriptor
