"""The audio of a text as it grows, chunk by chunk, and the utterance at each sample."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from app.audio.peak_pyramid import Envelope, JoinedPeaks
from app.audio.track_parts import Gap, SampleFile, UtteranceRun, WordTimes, numbered
from engine.speech import AudioChunk, Notice, Plan, Samples, Utterance


@dataclass(frozen=True)
class Segment:
    """The samples from `start` to `end` of the track: one utterance, generated at `speed`."""

    utterance: Utterance
    start: int
    end: int
    speed: float = 1.0


class AudioTrack:
    """The audio of a text, with samples stored on disk as chunks arrive; positions are samples from the start.

    There may be gaps, whose length is a guess: audio after a gap moves once the gap is filled, as `take_moves` reports.
    """

    def __init__(self) -> None:
        self.sample_rate_hz = 0
        self.words = WordTimes()
        self._samples = SampleFile()
        self._segments: list[Segment] = []
        self._starts: list[int] = []
        self._filed_at: list[int] = []
        self._runs = [UtteranceRun()]
        self._growing = 0  # the place of the run that is appended to
        self._plan = Plan(())
        self._notices: tuple[Notice, ...] = ()
        self._moves: list[tuple[int, int]] = []
        self._finished = False

    @property
    def length(self) -> int:
        """The current number of samples, gaps included."""
        return self._end(len(self._runs) - 1)

    @property
    def gaps(self) -> tuple[tuple[int, int], ...]:
        """The first sample of each gap, and the first one after it."""
        return tuple((gap.start, gap.end) for gap in self._gaps())

    @property
    def peaks(self) -> Envelope:
        """The envelope of all current samples."""
        if len(self._runs) == 1:
            return self._runs[0].peaks
        return JoinedPeaks(tuple((run.start, run.peaks) for run in self._runs))

    @property
    def finished(self) -> bool:
        """True if nothing more will come."""
        return self._finished

    @property
    def ends(self) -> bool:
        """True if nothing more will come at the end, though a gap may still be filled."""
        return self._finished or (self._growing + 1 < len(self._runs) and self._is_complete(len(self._runs) - 1))

    @property
    def utterance_count(self) -> int:
        """The number of utterances of the whole text; 0 while unknown."""
        return len(self._plan.utterances) if self._plan.whole else 0

    @property
    def segments(self) -> Sequence[Segment]:
        """The segments that have arrived, in order."""
        return self._segments

    @property
    def segment_count(self) -> int:
        """The number of utterances that have arrived."""
        return len(self._segments)

    @property
    def whole(self) -> bool:
        """True if every utterance of the plan has arrived."""
        return self._finished and 0 < len(self._segments) == self.utterance_count

    @property
    def planned(self) -> Plan:
        """The known part of the plan."""
        return self._plan

    @property
    def partial(self) -> bool:
        """True if it ended before every utterance of the plan arrived, as it does when it is stopped."""
        return self._finished and bool(self._plan.utterances) and not self.whole

    @property
    def missing(self) -> tuple[int | None, int | None] | None:
        """The range of characters to generate next, with None for the start or end of the text.

        None if nothing is missing.
        """
        if self._is_complete(self._growing):
            return None
        if not self._segments:
            return None, None
        run, last = self._runs[self._growing], self._growing == len(self._runs) - 1
        coming = self._planned_in(self._growing)[run.count :]
        start = coming[0].start if coming else self._spoken_to(self._growing)  # after a pause of the one before
        return start, None if last else self._runs[self._growing + 1].character

    def plan(self, plan: Plan) -> None:
        """Set the plan of the next utterances; a longer plan of the same text replaces the one before."""
        self._runs[self._growing].plan = plan
        self._join_plans(tuple(dict.fromkeys((*self._notices, *plan.notices))))

    def append(self, chunk: AudioChunk, speed: float = 1.0) -> None:
        """Append the audio of the next utterance, generated at this speed, and renumber it to follow the last one."""
        run, start = self._runs[self._growing], self._end(self._growing)
        number, end = self._first(self._growing) + run.count, start + len(chunk.samples)
        utterance = numbered(chunk.utterance, run.first_index + run.count)
        self.sample_rate_hz = chunk.sample_rate_hz
        self._filed_at.insert(number, self._samples.length)
        self._samples.append(chunk.samples)
        self._starts.insert(number, start)
        self._segments.insert(number, Segment(utterance, start, end, speed))
        self.words.insert(number, chunk, start)
        run.peaks.append(chunk.samples)
        run.count += 1
        following = self._runs[self._growing + 1 : self._growing + 2]
        if following and following[0].start <= end:  # the guess was too small
            rest = self._guess(following[0].character - utterance.end)
            self._move(self._growing + 1, end + rest - following[0].start)

    def finish(self) -> None:
        """Mark the track as finished."""
        self._finished = True

    def resume(self) -> None:
        """Mark the track as unfinished: more will come after all."""
        self._finished = False

    def aim(self, position: int | None = None) -> bool:
        """Direct further utterances, which have a separate plan, to the gap at a position or to the end.

        Without a position, they continue where the track grew last. Returns False if nothing is missing there.
        """
        place = self._growing if position is None else self._place_at(position)
        if self._is_complete(place):
            return False
        run, self._growing = self._runs[place], place
        run.plan = replace(run.plan, utterances=self._planned_in(place)[run.count :])
        run.planned_from = run.count
        self._notices = self._plan.notices
        return True

    def grows_at(self, position: int) -> bool:
        """Return whether the next utterance fills the gap at a position, or comes at the end if there is no gap."""
        return self._growing == self._place_at(position)

    def skip_to(self, character: int) -> int:
        """Leave a gap: the next utterance begins at a character for which `lies_ahead` is true. Return its sample."""
        self._drop_empty_runs()
        place = self._place_before(character)
        before, spoken_to = self._runs[place], self._spoken_to(place)
        coming = self._planned_in(place)[before.count :]
        if coming and coming[0].start >= character:  # there is nothing in between
            self._growing = place
            return self._end(place)
        if place + 1 < len(self._runs):
            gap = next(gap for of, gap in self._placed_gaps() if of == place)
            share = (character - gap.first) / max(1, gap.last - gap.first)
            start = gap.start + max(1, round((gap.end - gap.start) * share))
            if start >= gap.end:
                self._move(place + 1, start + 1 - gap.end)
        else:
            start = self._end(place) + self._guess(character - spoken_to)
        planned = self._planned_in(place)
        behind = tuple(utterance for utterance in planned if utterance.start >= character)
        planned_to = behind[-1].end if behind else character
        left = max(0, self._text_end() - planned_to) if place + 1 == len(self._runs) else 0
        self._runs.insert(place + 1, UtteranceRun(start, character, plan=Plan(behind, characters_left=left)))
        before.plan = Plan(tuple(each for each in before.plan.utterances if each.start < character))
        self._growing = place + 1
        self._join_plans(self._plan.notices)
        return start

    def lies_ahead(self, character: int) -> bool:
        """Return whether a character of the text is in a gap, or after all generated audio."""
        place = self._place_before(character)
        return bool(self._segments) and not self._runs[place].joined and character >= self._spoken_to(place)

    def join(self) -> None:
        """Close the gap before the next run: its missing text has arrived or has no audio."""
        place = self._growing
        if place + 1 < len(self._runs):
            self._runs[place].joined = True
            self._move(place + 1, self._end(place) - self._runs[place + 1].start)
            self._growing = len(self._runs) - 1
            self._join_plans(self._plan.notices)

    def take_moves(self) -> list[tuple[int, int]]:
        """Return the moves since the last call: pairs of a first sample and its shift to later, in samples."""
        moves, self._moves = self._moves, []
        return moves

    def cut(self, position: int) -> None:
        """Drop the utterances that begin at this sample or later."""
        count = bisect_left(self._starts, position)
        places = [place for place in range(len(self._runs)) if place == 0 or self._first(place) < count]
        planned = self._planned_in(places[-1])
        del self._runs[len(places) :]
        for kept in (self._segments, self._starts, self._filed_at):
            del kept[count:]
        self.words.cut(count)
        run = self._runs[-1]
        run.count = count - self._first(len(places) - 1)
        run.planned_from = min(run.planned_from, run.count)
        run.plan = replace(run.plan, utterances=planned[run.planned_from :])
        run.joined, self._growing = False, len(places) - 1
        if len(self._runs) == 1:  # otherwise the remaining samples need not be the first in the file
            self._samples.cut(self.length)
        covered = run.start + run.peaks.cut(self.length - run.start)
        run.peaks.append(self.between(covered, self.length))

    def read(self, start: int, limit: int) -> Samples:
        """Return at most `limit` samples from `start`, up to the end of a chunk; empty in a gap and at the end."""
        index = bisect_right(self._starts, start) - 1
        if index < 0 or start >= self._segments[index].end:
            return np.zeros(0, np.float32)
        segment, filed_at = self._segments[index], self._filed_at[index]
        offset = filed_at - segment.start
        return self._samples.read(start + offset, min(start + limit, segment.end) + offset)

    def between(self, start: int, end: int) -> Samples:
        """Return the samples from `start` to `end`, or to the first gap or the end, in one array."""
        parts = [np.zeros(0, np.float32)]
        while start < end and len(part := self.read(start, end - start)):
            parts.append(part)
            start += len(part)
        return np.concatenate(parts)

    def samples(self) -> Samples:
        """Return all current samples in one array, up to the first gap."""
        return self.between(0, self.length)

    def end_at(self, position: int) -> int:
        """Return the sample up to which the track can be played from a position without a gap."""
        gap = next((gap for gap in self._gaps() if position < gap.end), None)
        return self.length if gap is None else max(position, gap.start)

    def segment_at(self, position: int) -> Segment | None:
        """Return the segment at this sample; in a gap, the one before, and at the very end, the last one."""
        index = bisect_right(self._starts, position) - 1
        return self._segments[index] if index >= 0 else None

    def sample_of(self, character: int) -> int | None:
        """Return the start of the word at this character, or of the first one after it; None if not generated."""
        if any(gap.first <= character < gap.last for gap in self._gaps()):
            return None
        return self.words.sample_of(character)

    def character_expected_at(self, position: int) -> int:
        """Return the character expected at a sample not yet generated: an utterance's start, if planned."""
        for gap in self._gaps():
            if gap.start <= position < gap.end:
                return gap.first + (gap.last - gap.first) * (position - gap.start) // (gap.end - gap.start)
        run = self._runs[-1]
        utterances, left = self._planned_in(len(self._runs) - 1), run.plan.characters_left
        if not utterances:
            return run.character
        ends = list(accumulate(len(utterance.phonemes) for utterance in utterances))
        share = (position - run.start) / max(1, self.expected_length() - run.start)
        last = utterances[-1].end
        whole = ends[-1] * (1 + left / max(1, last - utterances[0].start))
        if share * whole < ends[-1]:
            return utterances[bisect_right(ends, share * whole)].start
        return last + round(left * (share * whole - ends[-1]) / max(1.0, whole - ends[-1]))

    def expected_length(self) -> int:
        """Return the estimated number of samples of the whole text, from its missing phonemes and characters."""
        place = len(self._runs) - 1
        run, utterances = self._runs[place], self._planned_in(place)
        spoken = sum(len(segment.utterance.phonemes) for segment in self._segments[self._first(place) :])
        if self.whole or not self._segments or not (utterances or run.plan.characters_left):
            return self.length
        if not utterances:
            return self.length + self._guess(run.plan.characters_left)
        if not spoken:
            return self.length + self._guess(utterances[-1].end - utterances[0].start + run.plan.characters_left)
        planned = sum(len(utterance.phonemes) for utterance in utterances)
        characters = max(1, utterances[-1].end - utterances[0].start)
        phonemes = planned * (characters + run.plan.characters_left) // characters
        return max(self.length, run.start + (self.length - run.start) * phonemes // spoken)

    def _placed_gaps(self) -> list[tuple[int, Gap]]:
        """Return the gaps, each with the place of the run before it."""
        return [
            (place, Gap(self._end(place), after.start, self._spoken_to(place), after.character))
            for place, (run, after) in enumerate(pairwise(self._runs))
            if not run.joined
        ]

    def _gaps(self) -> list[Gap]:
        return [gap for _, gap in self._placed_gaps()] if len(self._runs) > 1 else []

    def _is_complete(self, place: int) -> bool:
        """Return whether this is the last run and all of it is generated."""
        run, last = self._runs[place], place + 1 == len(self._runs)
        return last and run.plan.whole and 0 < run.count == run.planned_from + len(run.plan.utterances)

    def _place_at(self, position: int) -> int:
        """Return the place of the run before the gap at a position, or of the last one."""
        found = (place for place, gap in self._placed_gaps() if gap.start <= position < gap.end)
        return next(found, len(self._runs) - 1)

    def _first(self, place: int) -> int:
        """Return the number of utterances generated in the runs before this one."""
        return sum(run.count for run in self._runs[:place])

    def _end(self, place: int) -> int:
        run = self._runs[place]
        return self._segments[self._first(place) + run.count - 1].end if run.count else run.start

    def _spoken_to(self, place: int) -> int:
        """Return the character up to which the text of a run is generated."""
        run = self._runs[place]
        return self._segments[self._first(place) + run.count - 1].utterance.end if run.count else run.character

    def _place_before(self, character: int) -> int:
        """Return the place of the last run that begins at this character or before."""
        return max(place for place, run in enumerate(self._runs) if place == 0 or run.character <= character)

    def _planned_in(self, place: int) -> tuple[Utterance, ...]:
        """Return the utterances of a run, generated and planned."""
        run, first = self._runs[place], self._first(place)
        made = self._segments[first : first + run.planned_from]
        return (*(segment.utterance for segment in made), *run.plan.utterances)

    def _join_plans(self, notices: tuple[Notice, ...]) -> None:
        """Number the utterances of all runs consecutively."""
        utterances: list[Utterance] = []
        left = 0
        for place, run in enumerate(self._runs):
            planned, first = self._planned_in(place), self._first(place)
            run.first_index = len(utterances)
            utterances += planned
            for number in range(first, first + run.count):
                segment, index = self._segments[number], run.first_index + number - first
                if segment.utterance.index != index:
                    self._segments[number] = replace(segment, utterance=replace(segment.utterance, index=index))
            if place + 1 == len(self._runs):
                left += run.plan.characters_left
            elif not run.joined:
                left += max(1, self._runs[place + 1].character - self._planned_to(place))
        through = tuple(numbered(utterance, index) for index, utterance in enumerate(utterances))
        self._plan = Plan(through, notices, left)

    def _drop_empty_runs(self) -> None:
        """Remove runs that were begun but have no utterance."""
        text_end = self._text_end()
        for place in reversed(range(1, len(self._runs))):
            if not self._runs[place].count:
                self._runs[place - 1].joined &= self._runs.pop(place).joined
        last = self._runs[-1]
        last.plan = replace(last.plan, characters_left=text_end - self._planned_to(len(self._runs) - 1))
        self._growing = min(self._growing, len(self._runs) - 1)

    def _planned_to(self, place: int) -> int:
        """Return the character up to which the text of a run is planned."""
        planned = self._planned_in(place)
        return planned[-1].end if planned else self._runs[place].character

    def _text_end(self) -> int:
        return self._planned_to(len(self._runs) - 1) + self._runs[-1].plan.characters_left

    def _guess(self, characters: int) -> int:
        """Return the estimated number of samples for some characters, at the average rate of the generated audio."""
        spoken = sum(segment.utterance.end - segment.utterance.start for segment in self._segments)
        made = sum(segment.end - segment.start for segment in self._segments)
        return max(1, made * characters // max(1, spoken))

    def _move(self, place: int, by: int) -> None:
        """Move a run and those after it `by` samples later."""
        if by:
            first = self._first(place)
            self._moves.append((self._runs[place].start, by))
            self._segments[first:] = [replace(s, start=s.start + by, end=s.end + by) for s in self._segments[first:]]
            self._starts[first:] = [start + by for start in self._starts[first:]]
            self.words.move(first, by)
            for run in self._runs[place:]:
                run.start += by
