from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.audio.output import NoAudioDevice
from app.audio.player import AudioPlayer, Playback
from app.audio.sound_player import ENDLESS, LoopedSound, SoundPart, SoundPlayer
from app.audio.track import AudioTrack
from tests.app.fakes import RATE_HZ, FakeOutput, chunk_of, utterances_of


class Desk:
    """A second of speech, and a player of excerpts beside it, on one device."""

    def __init__(self) -> None:
        self.output = FakeOutput()
        self.speech = AudioPlayer(self.output)
        track = AudioTrack()
        track.append(chunk_of(utterances_of("One.")[0], 1))
        track.finish()
        self.speech.load(track)
        self.sounds = SoundPlayer(self.speech, self.output)
        self.playing: list[bool] = []
        self.sounds.playing_changed.connect(self.playing.append)


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk()


def piece(length: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, length).astype(np.float32)


def test_a_piece_is_played_as_it_is(desk: Desk, qtbot: QtBot) -> None:
    samples = piece(700)
    desk.sounds.play(samples, RATE_HZ)
    assert desk.sounds.playing
    desk.output.stream.pull(1000)
    np.testing.assert_array_equal(desk.output.stream.heard(), samples)
    qtbot.waitUntil(lambda: not desk.sounds.playing)
    assert desk.playing == [True, False]


def test_samples_that_cannot_play_unchanged_are_limited(desk: Desk) -> None:
    desk.sounds.play(np.array([3.0, -7.0, 0.5, np.nan], np.float32), RATE_HZ)
    desk.output.stream.pull(4)
    np.testing.assert_array_equal(desk.output.stream.heard(), np.array([1, -1, 0.5, 0], np.float32))


def test_a_new_piece_replaces_the_first(desk: Desk) -> None:
    first, second = piece(500, 1), piece(500, 2)
    desk.sounds.play(first, RATE_HZ)
    desk.output.stream.pull(100)
    desk.sounds.play(second, RATE_HZ)
    assert [stream.active for stream in desk.output.streams] == [False, True]
    desk.output.stream.pull(500)
    np.testing.assert_array_equal(desk.output.stream.heard(), second)


def test_speech_and_pieces_take_the_device_from_each_other(desk: Desk) -> None:
    desk.speech.play()
    desk.output.stream.pull(300)
    desk.speech.tick()
    position = desk.speech.position
    desk.sounds.play(piece(500), RATE_HZ)
    assert desk.speech.playback is Playback.PAUSED
    assert desk.output.streams[0].closed
    desk.speech.play()
    assert not desk.sounds.playing
    assert desk.output.streams[1].closed
    assert desk.speech.position == position


def test_stopping_gives_the_device_back(desk: Desk) -> None:
    desk.sounds.play(piece(500), RATE_HZ)
    desk.sounds.stop()
    assert not desk.sounds.playing
    assert desk.output.stream.closed


def test_a_missing_device_reports_an_error(desk: Desk, qtbot: QtBot) -> None:
    desk.output.error = NoAudioDevice()
    with qtbot.waitSignal(desk.sounds.failed) as failed:
        desk.sounds.play(piece(500), RATE_HZ)
    assert isinstance(failed.args[0], NoAudioDevice)
    assert not desk.sounds.playing


def test_nothing_is_played_when_there_is_nothing(desk: Desk) -> None:
    desk.sounds.play(np.zeros(0, np.float32), RATE_HZ)
    assert not desk.sounds.playing


def test_only_a_sound_that_plays_to_its_end_has_ended(desk: Desk, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(desk.sounds.ended):
        desk.sounds.play(piece(500), RATE_HZ)
        desk.output.stream.pull(300)
        desk.sounds.stop()
    desk.sounds.play(piece(500), RATE_HZ)
    with qtbot.waitSignal(desk.sounds.ended):
        desk.output.stream.pull(600)


@pytest.mark.parametrize(
    "something_else",
    [
        lambda desk: desk.sounds.stop(),
        lambda desk: desk.sounds.play(piece(100), RATE_HZ),
        lambda desk: desk.speech.play(),
    ],
    ids=["silence", "a shorter sound", "speech"],
)
def test_a_sound_that_gives_way_while_it_rings_out_has_not_ended(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, something_else: Callable[[Desk], None]
) -> None:
    monkeypatch.setattr("app.audio.player.RING_OUT_SECONDS", 3600)
    desk.sounds.play(piece(500), RATE_HZ)
    desk.output.stream.pull(600)
    qtbot.waitUntil(lambda: desk.sounds.place == 500)
    with qtbot.assertNotEmitted(desk.sounds.ended):
        something_else(desk)
    desk.sounds.stop()


def tone(loudness: float, length: int = 8000) -> np.ndarray:
    """Return a tone with steps of at most a twentieth of its loudness."""
    return (loudness * np.sin(np.arange(length) / 20)).astype(np.float32)


def test_a_new_sound_continues_at_the_same_position_without_a_click(desk: Desk, qtbot: QtBot) -> None:
    first, second = tone(0.8), -tone(0.4)
    desk.sounds.play(first, RATE_HZ)
    desk.output.stream.pull(1000)
    qtbot.waitUntil(lambda: desk.sounds.place >= 1000)
    desk.sounds.switch(second)
    desk.output.stream.pull(1000)
    heard = desk.output.stream.heard()
    np.testing.assert_array_equal(heard[:1000], first[:1000])
    np.testing.assert_array_equal(heard[-700:], second[1300:2000])
    assert np.abs(np.diff(heard)).max() < 0.2  # the sounds differ by up to 1.2
    assert len(desk.output.streams) == 1


def test_a_part_plays_repeatedly(desk: Desk, qtbot: QtBot) -> None:
    sound = tone(0.5)
    places: list[int] = []
    desk.sounds.place_changed.connect(places.append)
    desk.sounds.play(sound, RATE_HZ, SoundPart(2000, 2500))
    desk.output.stream.pull(1700)
    np.testing.assert_array_equal(desk.output.stream.heard()[1005:1500], sound[2005:2500])
    qtbot.waitUntil(lambda: desk.sounds.place == 2200)
    assert desk.sounds.playing
    assert all(2000 <= place < 2500 for place in places)


def test_playback_begins_at_the_requested_position(desk: Desk) -> None:
    sound = tone(0.5)
    desk.sounds.play(sound, RATE_HZ, start=3000)
    desk.output.stream.pull(100)
    np.testing.assert_array_equal(desk.output.stream.heard(), sound[3000:3100])


def test_there_is_nothing_to_switch_in_silence(desk: Desk) -> None:
    desk.sounds.switch(tone(0.5))
    assert not desk.sounds.playing
    assert not desk.output.streams


RAMP = (np.arange(100, dtype=np.float32)) / 100


def test_without_a_part_it_is_the_whole_sound_once() -> None:
    sound = LoopedSound(RAMP, RATE_HZ)
    assert sound.length == 100
    np.testing.assert_array_equal(sound.between(90, 120), RAMP[90:])
    assert len(sound.read(100, 10)) == 0
    assert sound.place_of(37) == sound.position_of(37) == 37


def test_a_part_goes_round() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, SoundPart(20, 60))
    assert sound.length == ENDLESS
    rounds = sound.between(0, 120)
    np.testing.assert_array_equal(rounds[:40], rounds[40:80])
    np.testing.assert_array_equal(rounds[5:40], RAMP[25:60])
    assert [sound.place_of(each) for each in (0, 39, 40, 95)] == [20, 59, 20, 35]
    assert (sound.position_of(30), sound.position_of(10)) == (10, 0)


def test_the_end_of_a_loop_blends_into_its_start_without_a_step() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, SoundPart(20, 60))
    rounds = sound.between(0, 120)
    assert np.abs(np.diff(rounds)).max() < 0.12  # a plain cut would be 0.4
    np.testing.assert_allclose(rounds[40], RAMP[60], atol=0.05)


def test_a_new_sound_replaces_the_looped_one() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, SoundPart(20, 60))
    sound.replace(-RAMP)
    np.testing.assert_array_equal(sound.between(5, 40), -RAMP[25:60])


def test_a_part_beyond_a_shorter_sound_is_no_part() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, SoundPart(20, 60))
    sound.replace(RAMP[:10])
    assert sound.length == 10


def test_samples_that_no_device_can_play_are_limited() -> None:
    sound = LoopedSound(np.array([np.nan, np.inf, -7, 0.5], np.float32), RATE_HZ)
    assert sound.between(0, 4).tolist() == [0, 1, -1, 0.5]


@given(st.integers(-5, 105), st.integers(-5, 105), st.integers(0, 300), st.integers(1, 90))
def test_reading_and_looking_up_agree_everywhere(start: int, end: int, position: int, limit: int) -> None:
    sound = LoopedSound(RAMP, RATE_HZ, SoundPart(start, end))
    read = sound.read(position, limit)
    np.testing.assert_array_equal(read, sound.between(position, position + len(read)))
    assert len(read) <= limit
    assert len(read) == 0 or 0 <= sound.place_of(position) < len(RAMP)


@pytest.mark.parametrize("part", [None, SoundPart(10, 30)])
def test_a_place_is_found_again(part: SoundPart | None) -> None:
    sound = LoopedSound(RAMP, RATE_HZ, part)
    assert sound.place_of(sound.position_of(15)) == 15
