import numpy as np
import pytest

from app.audio.track import AudioTrack
from engine.speech import Plan
from tests.app.fakes import chunk_of, utterances_of

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
    assert segment is not None
    assert segment.utterance.index == index


def test_a_track_is_whole_when_every_utterance_is_there_and_no_more_will_come() -> None:
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


def test_a_plan_that_is_not_whole_counts_nothing_and_its_rest_is_judged_by_the_characters() -> None:
    track = AudioTrack()
    track.plan(Plan(UTTERANCES[:2], characters_left=2 * UTTERANCES[1].end))
    for utterance in UTTERANCES[:2]:
        track.append(chunk_of(utterance, 0, 100))
    assert (track.utterance_count, track.expected_length()) == (0, 600)
    track.finish()
    assert not track.whole


def test_a_part_that_is_read_ends_with_its_utterance() -> None:
    assert len(track_of(3).read(90, 500)) == 10


def test_what_begins_after_a_cut_is_dropped_and_more_can_follow() -> None:
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


def test_where_in_the_text_a_sample_that_is_not_made_will_be() -> None:
    track = track_of(1)
    length = track.expected_length()
    assert [track.character_expected_at(sample) for sample in (110, length - 30, length - 1)] == [5, 18, 18]
    track.plan(Plan(UTTERANCES, (), 220))  # a tenth of the text is planned
    middle = track.character_expected_at(track.expected_length() // 2)
    assert middle == pytest.approx((UTTERANCES[-1].end + 220) / 2, abs=5)
    assert track.character_expected_at(track.expected_length()) == UTTERANCES[-1].end + 220
