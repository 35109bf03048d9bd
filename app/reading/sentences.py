"""Where the sentences of a text are, and from when on each is heard in its speech."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise

from app.audio.track import AudioTrack, Segment

_BORDER = re.compile(
    r"""(?P<mark>[.!?…]+)(?P<closing>["”'’»)\]]*)\s+|[。！？]+["”'’」』）]*\s*|\n\s*\n\s*""",
)
"""What ends a sentence, with the white space that follows."""
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Rev|Hon|Gen|Col|Maj|Capt|Lt|Sgt|Sen|Rep|Gov|St|Mt|vs|cf|e\.g|i\.e|[A-Z])$")
"""A dot after one of these, or after an initial, ends no sentence."""
_TITLE_CHARACTERS = 8


@dataclass(frozen=True)
class HeardSentence:
    """The characters `start` to `end` of the text, heard from `sample` on."""

    start: int
    end: int
    sample: int


def sentence_starts(text: str) -> list[int]:
    """The characters at which sentences start, in order, the first one being 0."""
    borders = (match.end() for match in _BORDER.finditer(text) if _ends_sentence(match))
    return [0, *(border for border in borders if border < len(text))]


def sentence_at(text: str, character: int) -> int:
    """The character at which the sentence of another one starts.

    Only the text around it is looked at, so that a long one takes no longer.
    """
    first = text.rfind("\n\n", 0, character) + 1
    last = text.find("\n\n", character)
    here = text[first : last if last >= 0 else len(text)]
    starts = (first + start for start in sentence_starts(here))
    start = max((each for each in starts if each <= max(first, character)), default=first)
    return start + len(text[start:character]) - len(text[start:character].lstrip())


def _ends_sentence(match: re.Match[str]) -> bool:
    mark, text = match["mark"], match.string
    if mark is None or "\n\n" in match[0]:
        return True
    before = text[max(0, match.start() - _TITLE_CHARACTERS) : match.start()]
    goes_on = text[match.end() : match.end() + 1].islower() and (match["closing"] or set(mark) <= {".", "…"})
    return not goes_on and not (mark == "." and _TITLE.search(before))


class HeardSentences:
    """The sentences of a speech as it grows; one whose words are unknown counts if an utterance begins with it."""

    def __init__(self, text: str) -> None:
        starts = sentence_starts(text)
        self._spans = [(start, start + len(text[start:end].rstrip())) for start, end in pairwise([*starts, len(text)])]
        self._starts = starts
        self._sentences: list[HeardSentence] = []
        self._samples: list[int] = []
        self._segments: list[Segment] = []

    @property
    def samples(self) -> list[int]:
        """The samples from which on each is heard, in order."""
        return self._samples

    def take(self, track: AudioTrack) -> None:
        """Take what has been made since the last time; what has been cut off meanwhile is forgotten."""
        kept = min(len(self._segments), track.segment_count)
        while kept and self._segments[kept - 1] is not track.segments[kept - 1]:
            kept -= 1
        self._forget_after(kept)
        for number in range(kept, track.segment_count):
            self._take_segment(track.segments[number], track, number)

    def at(self, sample: int) -> HeardSentence | None:
        """The sentence heard at a sample."""
        index = self._index_at(sample)
        return self._sentences[index] if index >= 0 else None

    def before(self, sample: int, grace_samples: int) -> int:
        """Where the sentence begins, or the one before it within its first samples."""
        index = self._index_at(sample)
        if index < 0:
            return 0
        in_grace = sample - self._samples[index] < grace_samples
        return self._samples[max(0, index - 1) if in_grace else index]

    def after(self, sample: int) -> int | None:
        """Where the next sentence begins; None if there is none yet."""
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
        """The first word of a sentence begins it; the first of all begins with the silence before it."""
        self._segments.append(segment)
        self._take_unit(segment.utterance.start, segment.start)
        for word in track.words.of_chunk(number):
            self._take_unit(word.start, word.start_sample)

    def _take_unit(self, character: int, sample: int) -> None:
        start, end = self._spans[bisect_right(self._starts, character) - 1]
        if not self._sentences or start > self._sentences[-1].start:
            self._sentences.append(HeardSentence(start, end, sample))
            self._samples.append(sample)
