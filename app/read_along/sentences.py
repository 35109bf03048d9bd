"""The start of each sentence of a text in its audio."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from app.audio.track import AudioTrack, Segment
from engine.text.sentences import sentence_spans


@dataclass(frozen=True)
class HeardSentence:
    """The characters `start` to `end` of the text, spoken from `sample` on."""

    start: int
    end: int
    sample: int


class HeardSentences:
    """The sentences of a growing track; one whose words are unknown counts if an utterance begins with it."""

    def __init__(self, text: str) -> None:
        self._spans = sentence_spans(text)
        self._starts = [start for start, _ in self._spans]
        self._sentences: list[HeardSentence] = []
        self._samples: list[int] = []
        self._segments: list[Segment] = []

    @property
    def samples(self) -> list[int]:
        """The first sample of each sentence, in order."""
        return self._samples

    def set_track(self, track: AudioTrack) -> None:
        """Add the segments generated since the last call, and drop those that were cut off in the meantime."""
        kept = min(len(self._segments), track.segment_count)
        while kept and self._segments[kept - 1] is not track.segments[kept - 1]:
            kept -= 1
        self._forget_after(kept)
        for number in range(kept, track.segment_count):
            self._take_segment(track.segments[number], track, number)

    def at(self, sample: int) -> HeardSentence | None:
        """Return the sentence at a sample."""
        index = self._index_at(sample)
        return self._sentences[index] if index >= 0 else None

    def before(self, sample: int, grace_samples: int) -> int:
        """Return the start of the sentence at a sample, or of the one before within its first `grace_samples`."""
        index = self._index_at(sample)
        if index < 0:
            return 0
        in_grace = sample - self._samples[index] < grace_samples
        return self._samples[max(0, index - 1) if in_grace else index]

    def after(self, sample: int) -> int | None:
        """Return the start of the next sentence; None if there is none yet."""
        following = self._samples[self._index_at(sample) + 1 :]
        return following[0] if following else None

    def _index_at(self, sample: int) -> int:
        return bisect_right(self._samples, sample) - 1

    def _forget_after(self, segment_count: int) -> None:
        for segment in self._segments[segment_count : segment_count + 1]:
            count = bisect_left(self._samples, segment.start)
            del self._sentences[count:], self._samples[count:]
        del self._segments[segment_count:]

    def _take_segment(self, segment: Segment, track: AudioTrack, number: int) -> None:
        """Start sentences at their first words; the first of a segment starts with the silence before it."""
        self._segments.append(segment)
        self._take_unit(segment.utterance.start, segment.start)
        for word in track.words.of_chunk(number):
            self._take_unit(word.start, word.start_sample)

    def _take_unit(self, character: int, sample: int) -> None:
        start, end = self._spans[bisect_right(self._starts, character) - 1]
        if not self._sentences or start > self._sentences[-1].start:
            self._sentences.append(HeardSentence(start, end, sample))
            self._samples.append(sample)
