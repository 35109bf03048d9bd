"""The parts of a track: runs of utterances and gaps between them, the times of words, and samples on disk."""

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
    """A gap: samples `start` to `end` are a guess at the audio of the characters `first` to `last`."""

    start: int
    end: int
    first: int
    last: int


@dataclass
class UtteranceRun:
    """Consecutive utterances, from sample `start` on, that begin at `character` of the text.

    Of its utterances, `count` are generated; `plan` continues after the first `planned_from` of these. A `joined` run
    has nothing missing between it and the next one. `first_index` is the number of its first utterance in the whole
    text.
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
    """Return the utterance with this number in the whole text."""
    return utterance if utterance.index == index else replace(utterance, index=index)


@dataclass(frozen=True)
class _Chunk:
    """The audio up to the character `end`, from `start_sample` on.

    The samples of `words` count from the track's start.
    """

    end: int
    start_sample: int
    words: tuple[SpokenWord, ...]


class WordTimes:
    """The words of each chunk as it arrives; samples are counted from the start of the track."""

    def __init__(self) -> None:
        self._chunks: list[_Chunk] = []

    def insert(self, number: int, chunk: AudioChunk, start_sample: int) -> None:
        """Insert the words of a chunk as number `number`, from 0; the chunk begins at `start_sample`."""
        self._chunks.insert(number, _Chunk(chunk.utterance.end, start_sample, _later(chunk.words, start_sample)))

    def move(self, number: int, by: int) -> None:
        """Move the chunks from this number on `by` samples later."""
        self._chunks[number:] = [
            replace(each, start_sample=each.start_sample + by, words=_later(each.words, by))
            for each in self._chunks[number:]
        ]

    def cut(self, count: int) -> None:
        """Drop the words of all chunks but the first `count`."""
        del self._chunks[count:]

    def of_chunk(self, number: int) -> tuple[SpokenWord, ...]:
        """Return the words of the chunk of this number, from 0, in the order of their sounds."""
        return self._chunks[number].words

    def around(self, sample: int) -> tuple[SpokenWord, ...]:
        """Return the words of the chunk at this sample; none while they are unknown."""
        index = bisect_right(self._chunks, sample, key=lambda chunk: chunk.start_sample) - 1
        return self._chunks[index].words if index >= 0 else ()

    def at(self, sample: int) -> SpokenWord | None:
        """Return the word at this sample, or else the last one before it in the same chunk."""
        words = self.around(sample)
        index = bisect_right(words, sample, key=lambda word: word.start_sample) - 1
        return words[index] if index >= 0 else None

    def sample_of(self, character: int) -> int | None:
        """Return the start of the word at this character, or of the first one after it; None if not generated.

        If the words of an utterance are unknown, this is the utterance's start.
        """
        for chunk in self._chunks:
            if not chunk.words and character < chunk.end:
                return chunk.start_sample
            if chunk.words and character < chunk.words[-1].end:
                return next(word.start_sample for word in chunk.words if character < word.end)
        return None


def _later(words: tuple[SpokenWord, ...], by: int) -> tuple[SpokenWord, ...]:
    """Return the words `by` samples later, without their phonemes."""
    return tuple(SpokenWord(word.start, word.end, word.start_sample + by, word.end_sample + by) for word in words)


class SampleFile:
    """Samples that can be appended and read; positions are samples from the start.

    The file has no name, so that it disappears with the process, however that ends. It is read, not mapped: mapped
    pages count as memory of the process. Samples that cannot be written, as on a full disk, stay in memory, so that
    playback continues.
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
        """Drop all but the first `length` samples."""
        self._rest = [self.read(self._filed, length)] if length > self._filed else []
        self._filed = min(self._filed, length)
        self.length = length

    def read(self, start: int, end: int) -> Samples:
        """Return the samples from `start` to `end`, or to the end of the available ones."""
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
