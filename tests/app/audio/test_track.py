import errno
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audio.track import AudioTrack
from app.audio.track_parts import SampleFile, WordTimes
from engine.speech import AudioChunk, Plan, Samples, SpokenWord, Utterance
from tests.app.fakes import chunk_of, utterances_of
from tests.engine.memory import private_bytes

UTTERANCES = utterances_of("One. Three three. Two.")


def track_of(count: int) -> AudioTrack:
    track = AudioTrack()
    track.plan(Plan(UTTERANCES))
    for utterance in UTTERANCES[:count]:
        track.append(chunk_of(utterance, len(UTTERANCES), 100 + utterance.index))
    return track


def test_an_empty_track() -> None:
    track = AudioTrack()
    assert (track.length, track.expected_length(), len(track.samples())) == (0, 0, 0)
    assert track.segment_at(0) is None
    assert not len(track.read(0, 10))


def test_reading_goes_through_all_chunks_and_ends() -> None:
    track, parts, position = track_of(3), [], 0
    while len(part := track.read(position, 33)):
        parts.append(part)
        position += len(part)
    assert position == track.length == 303
    np.testing.assert_array_equal(np.concatenate(parts), track.samples())


@pytest.mark.parametrize(("position", "index"), [(0, 0), (99, 0), (100, 1), (200, 1), (201, 2), (303, 2)])
def test_the_segment_at_a_position(position: int, index: int) -> None:
    segment = track_of(3).segment_at(position)
    assert segment.utterance.index == index


def test_a_finished_track_is_whole_when_every_utterance_is_present() -> None:
    cut, whole = track_of(2), track_of(3)
    assert not whole.whole
    cut.finish()
    whole.finish()
    assert (cut.whole, whole.whole) == (False, True)


def test_the_expected_length_follows_the_phonemes_to_come() -> None:
    track = track_of(1)
    assert track.expected_length() == 100 * len("OneThree threeTwo") // len("One")
    assert not track.partial


def test_a_track_that_is_stopped_is_a_part_of_the_speech() -> None:
    track = track_of(1)
    track.finish()
    assert track.partial
    assert (track.length, track.expected_length()) == (100, 100 * len("OneThree threeTwo") // len("One"))


@pytest.mark.parametrize("planned", [True, False])
def test_a_track_with_everything_in_it_is_no_part(planned: bool) -> None:
    track = track_of(3) if planned else AudioTrack()
    if not planned:
        track.append(chunk_of(UTTERANCES[0], 1, 303))
    track.finish()
    assert not track.partial
    assert track.expected_length() == track.length == 303


def test_an_incomplete_plan_has_no_count_and_estimates_the_rest_by_characters() -> None:
    track = AudioTrack()
    track.plan(Plan(UTTERANCES[:2], characters_left=2 * UTTERANCES[1].end))
    for utterance in UTTERANCES[:2]:
        track.append(chunk_of(utterance, 0, 100))
    assert (track.utterance_count, track.expected_length()) == (0, 600)
    track.finish()
    assert not track.whole


def test_a_part_that_is_read_ends_with_its_utterance() -> None:
    assert len(track_of(3).read(90, 500)) == 10


def test_a_cut_drops_segments_that_begin_after_it_and_more_can_follow() -> None:
    track, whole = track_of(3), track_of(3)
    track.finish()
    track.cut(150)
    track.resume()
    assert (track.length, track.segment_count, track.finished) == (201, 2, False)
    track.append(chunk_of(UTTERANCES[2], 3, 102))
    np.testing.assert_array_equal(track.samples(), whole.samples())
    np.testing.assert_array_equal(track.peaks.peaks(0, 303, 4).highest, whole.peaks.peaks(0, 303, 4).highest)


def test_samples_between_two_positions_cross_the_utterances() -> None:
    track = track_of(3)
    np.testing.assert_array_equal(track.between(50, 250), track.samples()[50:250])
    assert len(track.between(300, 400)) == 3
    assert len(track.between(400, 500)) == 0


def test_a_sample_not_yet_generated_has_an_expected_text_position() -> None:
    track = track_of(1)
    length = track.expected_length()
    assert [track.character_expected_at(sample) for sample in (110, length - 30, length - 1)] == [5, 18, 18]
    track.plan(Plan(UTTERANCES, (), 220))  # a tenth of the text is planned
    middle = track.character_expected_at(track.expected_length() // 2)
    assert middle == pytest.approx((UTTERANCES[-1].end + 220) / 2, abs=5)
    assert track.character_expected_at(track.expected_length()) == UTTERANCES[-1].end + 220


LONG = utterances_of(" ".join(f"Sentence {number}." for number in range(12)))
TEXT_END = LONG[-1].end


def part(first: int, last: int) -> Plan:
    """Return the plan of a task that speaks these utterances, numbering them from 0."""
    return Plan(tuple(replace(each, index=number) for number, each in enumerate(LONG[first:last])))


def chunk(number: int) -> AudioChunk:
    return chunk_of(LONG[number], 0, 100 + 7 * number)


def appended(track: AudioTrack, first: int, last: int) -> None:
    track.plan(part(first, last))
    for number in range(first, last):
        track.append(chunk(number))


def made_in_order() -> AudioTrack:
    track = AudioTrack()
    appended(track, 0, len(LONG))
    track.finish()
    return track


@pytest.fixture
def ahead() -> AudioTrack:
    """The first two utterances and, after a gap, the last four."""
    track = AudioTrack()
    track.plan(Plan(LONG[:3], (), TEXT_END - LONG[2].end))
    for number in range(2):
        track.append(chunk(number))
    assert track.skip_to(LONG[8].start) > track.end_at(0) == 207
    track.aim()
    appended(track, 8, 12)
    track.finish()
    return track


def numbers_in(track: AudioTrack) -> list[int]:
    return [LONG.index(replace(each.utterance, index=int(each.utterance.text[9:-1]))) for each in track.segments]


def test_audio_generated_ahead_follows_a_gap_of_about_the_skipped_length(ahead: AudioTrack) -> None:
    ((start, end),) = ahead.gaps
    assert numbers_in(ahead) == [0, 1, 8, 9, 10, 11]
    assert start == 207
    assert end == pytest.approx(207 + 6 * 104, rel=0.2)
    assert (ahead.segments[2].start, ahead.length) == (end, end + sum(100 + 7 * number for number in range(8, 12)))
    assert ahead.partial
    assert ahead.utterance_count == 0
    assert ahead.planned.characters_left > 0


def test_in_a_gap_there_is_nothing_to_read(ahead: AudioTrack) -> None:
    ((start, end),) = ahead.gaps
    assert len(ahead.read(start, 50)) == len(ahead.between(start + 10, end + 10)) == 0
    assert len(ahead.between(start - 20, end + 20)) == 20
    assert [ahead.end_at(sample) for sample in (0, start, start + 5, end)] == [start, start, start + 5, ahead.length]
    np.testing.assert_array_equal(ahead.read(end, 10), chunk(8).samples[:10])
    assert not ahead.peaks.peaks(start + 64, end - 64, 3).highest.any()


def test_text_in_a_gap_lies_ahead_but_generated_text_does_not(ahead: AudioTrack) -> None:
    assert [ahead.lies_ahead(LONG[number].start) for number in (0, 1, 2, 7, 8, 11)] == [False] * 2 + [True] * 2 + [
        False
    ] * 2
    assert ahead.sample_of(LONG[5].start) is None
    assert ahead.sample_of(LONG[9].start) == ahead.segments[3].start
    ((start, end),) = ahead.gaps
    assert LONG[1].end <= ahead.character_expected_at(start) < ahead.character_expected_at(end - 1) <= LONG[8].start
    assert not AudioTrack().lies_ahead(3)


def test_filling_a_gap_begins_at_its_start_and_moves_later_segments(ahead: AudioTrack) -> None:
    start = ahead.gaps[0][0]
    behind = ahead.segments[2].start
    ahead.resume()
    ahead.aim(start + 1)
    assert ahead.missing == (LONG[2].start, LONG[8].start)
    appended(ahead, 2, 8)
    ahead.join()
    ahead.finish()
    moved = sum(by for _, by in ahead.take_moves())
    assert ahead.segments[8].start == behind + moved
    whole = made_in_order()
    assert list(ahead.segments) == list(whole.segments)
    assert ahead.planned == whole.planned
    assert ahead.whole
    assert ahead.gaps == ()
    np.testing.assert_array_equal(ahead.samples(), whole.samples())
    assert not ahead.take_moves()


def test_skipping_into_a_gap_splits_it_without_moving_later_segments(ahead: AudioTrack) -> None:
    ((start, end),) = ahead.gaps
    middle = ahead.skip_to(LONG[5].start)
    assert start < middle < end
    ahead.aim()
    assert ahead.missing == (LONG[5].start, LONG[8].start)
    assert ahead.gaps == ((start, middle), (middle, end))
    appended(ahead, 5, 6)
    assert ahead.gaps == ((start, middle), (middle + 135, end))
    assert numbers_in(ahead) == [0, 1, 5, 8, 9, 10, 11]
    assert not ahead.take_moves()


def test_a_skipped_place_without_audio_leaves_no_separate_gap(ahead: AudioTrack) -> None:
    before = ahead.gaps
    ahead.skip_to(LONG[5].start)
    ahead.skip_to(LONG[4].start)
    ahead.aim()
    appended(ahead, 4, 5)
    assert len(ahead.gaps) == 2
    assert (ahead.gaps[0][0], ahead.gaps[1][1]) == (before[0][0], before[0][1])


def test_audio_longer_than_its_gap_pushes_later_segments_back(ahead: AudioTrack) -> None:
    ((start, end),) = ahead.gaps
    ahead.aim(start)
    ahead.plan(part(2, 8))
    ahead.append(replace(chunk(2), samples=np.ones(5000, np.float32)))
    ((now, behind),) = ahead.gaps
    assert now == start + 5000 < behind
    assert ahead.take_moves() == [(end, behind - end)]
    np.testing.assert_array_equal(ahead.read(behind, 10), chunk(8).samples[:10])


def test_a_cut_before_a_gap_drops_the_gap_and_everything_after_it(ahead: AudioTrack) -> None:
    ahead.cut(150)
    assert (numbers_in(ahead), ahead.gaps, ahead.length) == ([0, 1], (), 207)
    ahead.resume()
    ahead.aim()
    appended(ahead, 2, 12)
    ahead.finish()
    assert ahead.whole
    np.testing.assert_array_equal(ahead.samples(), made_in_order().samples())


def test_a_cut_behind_a_gap_leaves_it(ahead: AudioTrack) -> None:
    gaps, place = ahead.gaps, ahead.segments[3].start
    ahead.cut(place)
    assert (numbers_in(ahead), ahead.gaps, ahead.length) == ([0, 1, 8], gaps, place)
    ahead.aim()
    assert ahead.missing == (LONG[9].start, None)


@given(st.data())
def test_a_text_generated_in_any_order_yields_the_same_track(data: st.DataObject) -> None:
    track = AudioTrack()
    appended_first = data.draw(st.integers(1, 11))
    track.plan(Plan(LONG[:appended_first], (), TEXT_END - LONG[appended_first - 1].end))
    for number in range(appended_first):
        track.append(chunk(number))
    for _ in range(40):
        made = numbers_in(track)
        missing = [number for number in range(12) if number not in made]
        if not missing:
            break
        if data.draw(st.booleans()):
            track.skip_to(LONG[data.draw(st.sampled_from(missing))].start)
            track.aim()
        else:
            track.aim(data.draw(st.sampled_from([start for start, _ in track.gaps] or [track.length])))
        wanted = track.missing
        if wanted is None or wanted[0] is None:
            continue
        first = next(number for number in range(12) if LONG[number].end > wanted[0])
        last = next(number for number in range(12, 0, -1) if wanted[1] is None or LONG[number - 1].start < wanted[1])
        track.plan(part(first, last))
        for number in range(first, data.draw(st.integers(first, last))):
            track.append(chunk(number))
        if last - 1 in numbers_in(track):
            track.join()
        starts = [start for start, _ in track.gaps]
        assert numbers_in(track) == sorted(set(numbers_in(track)))
        assert [each.utterance.index for each in track.segments] == sorted(
            {each.utterance.index for each in track.segments}
        )
        assert all(before.end == after.start or before.end in starts for before, after in pairwise(track.segments))
        assert all(start < end for start, end in track.gaps)
        for segment in track.segments:
            sound = chunk(int(segment.utterance.text[9:-1])).samples
            np.testing.assert_array_equal(track.between(segment.start, segment.end), sound)
    else:
        return
    for start, _ in track.gaps:  # only spaces
        track.aim(start)
        track.join()
    track.finish()
    whole = made_in_order()
    np.testing.assert_array_equal(track.samples(), whole.samples())
    assert list(track.segments) == list(whole.segments)
    assert track.planned.utterances == whole.planned.utterances
    assert (track.gaps, track.whole, track.length) == ((), True, whole.length)


WORDS_TEXT = "One two. (Three!) Four"
FIRST = Utterance(0, "One two.", "x", 0, 8)
SECOND = Utterance(1, "(Three!)", "x", 9, 17)
WORDS = (SpokenWord(0, 3, 10, 40), SpokenWord(4, 7, 50, 90))


def word_chunk(utterance: Utterance, length: int, *words: SpokenWord) -> AudioChunk:
    return AudioChunk(utterance, 2, np.zeros(length, np.float32), 1000, words)


@pytest.fixture
def times() -> WordTimes:
    times = WordTimes()
    times.insert(0, word_chunk(FIRST, 100, *WORDS), 0)
    times.insert(1, word_chunk(SECOND, 60, SpokenWord(10, 15, 5, 50)), 100)
    return times


@pytest.mark.parametrize(
    ("sample", "word"), [(9, None), (10, "One"), (45, "One"), (50, "two"), (99, "two"), (104, None), (105, "Three")]
)
def test_a_word_plays_from_its_start_until_the_next_in_its_chunk(
    times: WordTimes, sample: int, word: str | None
) -> None:
    heard = times.at(sample)
    assert (WORDS_TEXT[heard.start : heard.end] if heard is not None else None) == word


@pytest.mark.parametrize(
    ("character", "sample"), [(0, 10), (3, 50), (5, 50), (7, 105), (8, 105), (12, 105), (15, None), (18, None)]
)
def test_a_character_plays_with_its_word_or_the_next(times: WordTimes, character: int, sample: int | None) -> None:
    assert times.sample_of(character) == sample


def test_an_utterance_without_words_plays_from_its_start() -> None:
    times = WordTimes()
    times.insert(0, word_chunk(FIRST, 100), 0)
    times.insert(1, word_chunk(SECOND, 60), 100)
    assert times.at(30) is None
    assert times.around(30) == ()
    assert [times.sample_of(character) for character in (5, 9, 17)] == [0, 100, None]


def test_words_are_counted_from_the_start_of_the_speech(times: WordTimes) -> None:
    assert times.around(99) == times.of_chunk(0) == WORDS
    assert times.around(100) == times.of_chunk(1) == (SpokenWord(10, 15, 105, 150),)
    assert WordTimes().around(0) == ()


def test_words_of_chunks_that_were_cut_off_are_forgotten(times: WordTimes) -> None:
    times.cut(1)
    assert times.sample_of(12) is None
    times.insert(1, word_chunk(SECOND, 60, SpokenWord(10, 15, 5, 50)), 200)
    assert (times.sample_of(12), times.of_chunk(1)[0].start_sample) == (205, 205)


PARTS = [np.random.default_rng(seed).standard_normal(1000 + seed).astype(np.float32) for seed in range(4)]
ALL: Samples = np.concatenate(PARTS)


def filled(folder: Path) -> SampleFile:
    file = SampleFile(folder)
    for part in PARTS:
        file.append(part)
    return file


@pytest.mark.parametrize(("start", "end"), [(0, 10), (995, 1010), (0, 9000), (4005, 5000), (4006, 5000), (7, 7)])
def test_samples_come_back_as_they_were(tmp_path: Path, start: int, end: int) -> None:
    np.testing.assert_array_equal(filled(tmp_path).read(start, end), ALL[start:end])


def test_no_file_remains_regardless_of_how_the_process_ends(tmp_path: Path) -> None:
    file = filled(tmp_path / "speech")
    assert not list((tmp_path / "speech").iterdir())
    assert file.length == len(ALL)


def test_an_empty_one_has_no_file(tmp_path: Path) -> None:
    assert not len(SampleFile(tmp_path / "speech").read(0, 10))
    assert not (tmp_path / "speech").exists()


def test_samples_that_were_cut_make_room_for_others(tmp_path: Path) -> None:
    file = filled(tmp_path)
    file.cut(1500)
    file.append(PARTS[2])
    np.testing.assert_array_equal(file.read(0, 9000), np.concatenate([ALL[:1500], PARTS[2]]))


def test_on_a_full_disk_the_rest_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = SampleFile(tmp_path)
    file.append(PARTS[0])

    def no_room(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", no_room)
    for part in PARTS[1:]:
        file.append(part)
    assert file.kept_in_memory == len(ALL) - 1000
    for start, end in ((0, 9000), (990, 1010), (1500, 2500), (0, 10)):
        np.testing.assert_array_equal(file.read(start, end), ALL[start:end])
    file.cut(1700)
    np.testing.assert_array_equal(file.read(0, 9000), ALL[:1700])


def test_an_hour_of_speech_takes_no_memory(tmp_path: Path) -> None:
    file, minute = SampleFile(tmp_path), np.ones(60 * 24_000, np.float32)
    file.append(minute)
    before = private_bytes()
    for _ in range(59):
        file.append(minute)
        file.read(file.length - 24_000, file.length)
    assert private_bytes() - before < 10_000_000
