import numpy as np
import pytest

from app.audio.playback_source import PlaybackSource
from app.audio.track import AudioTrack
from engine.speech import AudioChunk, Utterance

RATE_HZ = 24_000


def track_of(*chunks: tuple[np.ndarray, float]) -> AudioTrack:
    """Return a track of these samples, each generated at the given speed."""
    track = AudioTrack()
    for index, (samples, speed) in enumerate(chunks):
        utterance = Utterance(index, "", "", 0, 0)
        track.append(AudioChunk(utterance, len(chunks), samples.astype(np.float32), RATE_HZ), speed)
    return track


def tone(seconds: float, hertz: float = 200) -> np.ndarray:
    return 0.3 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE_HZ)) / RATE_HZ)


def bursts(seconds: int) -> np.ndarray:
    """Return a sound of 20 ms at the start of each second."""
    samples = np.zeros(seconds * RATE_HZ)
    for start in range(0, len(samples), RATE_HZ):
        samples[start : start + RATE_HZ // 50] = tone(0.02, 1000)
    return samples


def given(feed: PlaybackSource, limit: int = 700) -> np.ndarray:
    parts = [np.zeros(0, np.float32)]
    while len(part := feed.read(limit)):
        parts.append(part)
    return np.concatenate(parts)


def test_audio_generated_at_the_playback_speed_passes_through_unchanged() -> None:
    track = track_of((tone(3), 1.5), (tone(0.5), 1.5))
    feed = PlaybackSource(track, 1000, 1.5)
    np.testing.assert_array_equal(given(feed), track.samples()[1000:])
    assert feed.exhausted
    assert [feed.position_of(number) for number in (0, 5000, track.length - 1000)] == [1000, 6000, track.length]


@pytest.mark.parametrize("speed", [0.5, 0.75, 1.5, 2.0])
def test_a_different_speed_plays_everything_at_the_right_position(speed: float) -> None:
    track = track_of((bursts(5), 1.0), (bursts(3), 1.0))
    feed = PlaybackSource(track, 0, speed)
    samples = np.abs(given(feed))
    assert len(samples) == pytest.approx(track.length / speed, abs=10)
    for number in range(1, 8):
        place = round(number * RATE_HZ / speed)
        around = samples[place - 3000 : place + 3000]
        start = place - 3000 + int(np.flatnonzero(around > 0.15)[0])
        assert abs(feed.position_of(start) - number * RATE_HZ) < 0.02 * RATE_HZ
    assert feed.position_of(len(samples)) == track.length


def test_positions_never_go_back_and_never_leap() -> None:
    feed = PlaybackSource(track_of((tone(5), 1.0), (tone(2), 2.0), (tone(2), 1.0)), 0, 2.0)
    total = len(given(feed))
    positions = np.array([feed.position_of(number) for number in range(total + 1)])
    assert np.diff(positions).min() >= 0
    assert np.diff(positions).max() <= 4


@pytest.mark.parametrize("heard_samples", [RATE_HZ, 2 * RATE_HZ, 2 * RATE_HZ + 1])
def test_a_speed_change_takes_effect_without_a_click_at_the_current_position(heard_samples: int) -> None:
    feed = PlaybackSource(track_of((tone(6), 1.0)))
    first = np.concatenate([feed.read(2 * RATE_HZ), feed.read(1)])
    feed.take_back(first[heard_samples:])
    assert feed.position_of(heard_samples) == heard_samples
    feed.speed = 2.0
    after = given(feed)
    assert len(after) == pytest.approx(3 * RATE_HZ - heard_samples / 2, abs=10)
    heard = np.concatenate([first[:heard_samples], after])[: 3 * RATE_HZ]
    assert np.abs(np.diff(heard)).max() < 1.5 * np.abs(np.diff(tone(1))).max()
    assert feed.position_of(heard_samples + RATE_HZ) == pytest.approx(heard_samples + 2 * RATE_HZ, abs=5)


def test_blocks_go_over_into_each_other_without_a_click() -> None:
    samples = given(PlaybackSource(track_of((tone(9), 1.0), (tone(1), 1.0)), 0, 1.3))
    assert np.abs(np.diff(samples[RATE_HZ // 10 : -RATE_HZ])).max() < 1.5 * np.abs(np.diff(tone(1))).max()


def test_a_block_ends_where_it_is_quiet() -> None:
    sound = tone(6)
    for quiet in (1.5, 3.1, 4.6):
        sound[round(quiet * RATE_HZ) : round((quiet + 0.05) * RATE_HZ)] = 0
    feed = PlaybackSource(track_of((sound, 1.0)), 0, 1.5)
    feed.read(1)
    assert 1.5 * RATE_HZ <= feed.position_of(10**9) <= 1.55 * RATE_HZ


def test_each_utterance_plays_at_the_chosen_speed_regardless_of_its_generated_speed() -> None:
    feed = PlaybackSource(track_of((tone(1), 1.0), (tone(1), 2.0), (tone(1), 0.5)), 0, 1.0)
    np.testing.assert_array_equal(feed.read(10**6), tone(1).astype(np.float32))
    assert len(given(feed)) == pytest.approx((2 + 0.5) * RATE_HZ, abs=10)


def test_playback_continues_with_audio_that_the_track_receives_later() -> None:
    track = track_of((tone(1), 1.0))
    feed = PlaybackSource(track, 0, 2.0)
    first = given(feed)
    assert feed.exhausted
    track.append(AudioChunk(Utterance(1, "", "", 0, 0), 2, tone(1).astype(np.float32), RATE_HZ))
    assert len(given(feed)) == pytest.approx(len(first), abs=5)
    assert feed.exhausted
