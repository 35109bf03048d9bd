import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.audio.output import AudioDeviceLost, NoAudioDevice
from app.audio.player import STALL_SECONDS, AudioPlayer, Playback, RingBuffer
from app.audio.track import AudioTrack
from engine.speech import Plan
from tests.app.fakes import RATE_HZ, FakeClock, FakeOutput, FakeStream, chunk_of, utterances_of
from tests.patience import PATIENCE_SECONDS

UTTERANCES = utterances_of("One. Two. Three. Four.")
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=60)


@dataclass
class Stage:
    """A player with a fake device, driven by hand."""

    player: AudioPlayer
    output: FakeOutput
    clock: FakeClock
    track: AudioTrack

    def grow(self, count: int = 1) -> None:
        first = self.track.segment_count
        for utterance in UTTERANCES[first : first + count]:
            self.track.append(chunk_of(utterance, len(UTTERANCES)))

    def pass_time(self, frames: int, block: int = 50) -> None:
        for _ in range(frames // block):
            self.output.stream.pull(block)
            self.clock.seconds += block / RATE_HZ
            self.player.tick()


@pytest.fixture
def stage(qtbot: QtBot) -> Iterator[Stage]:
    clock, track = FakeClock(), AudioTrack()
    output = FakeOutput(clock=clock)
    track.plan(Plan(UTTERANCES))
    player = AudioPlayer(output, clock)
    player.load(track)
    yield Stage(player, output, clock, track)
    player.close()


def test_plays_every_sample_once_though_the_track_grows_while_playing(stage: Stage) -> None:
    stage.grow()
    stage.player.play()
    for _ in range(3):
        stage.pass_time(700)
        stage.grow()
    stage.track.finish()
    stage.pass_time(2800)
    np.testing.assert_array_equal(stage.output.stream.heard(), stage.track.samples())
    assert stage.player.playback is Playback.STOPPED
    assert stage.player.position == stage.track.length
    assert not stage.output.stream.active


def test_is_gapless_across_chunks(stage: Stage) -> None:
    stage.grow(2)
    stage.track.finish()
    stage.player.play()
    blocks = [stage.output.stream.pull(150) for _ in range(14)]
    np.testing.assert_array_equal(np.concatenate(blocks)[:2000], stage.track.samples())


def test_waits_for_the_first_audio_and_starts_by_itself(stage: Stage) -> None:
    stage.player.play()
    assert stage.player.waiting
    assert not stage.output.streams
    stage.grow()
    stage.player.tick()
    assert stage.output.stream.active
    assert not stage.player.waiting


def test_the_position_follows_played_samples_not_consumed_ones(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeStream, "latency_seconds", 0.2)
    stage.grow()
    stage.player.play()
    stage.pass_time(500)
    assert stage.player.position == pytest.approx(300, abs=1)
    stage.clock.seconds += 0.1
    stage.player.tick()
    assert stage.player.position == pytest.approx(400, abs=1)


def test_playback_ends_when_the_last_sample_plays(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeStream, "latency_seconds", 0.2)
    stage.grow()
    stage.track.finish()
    stage.player.play()
    stage.pass_time(1150)
    assert (stage.player.playback, stage.player.position) == (Playback.PLAYING, pytest.approx(950, abs=1))
    stage.pass_time(150)
    assert (stage.player.playback, stage.player.position) == (Playback.PLAYING, 1000)
    stage.pass_time(200)
    assert (stage.player.playback, stage.player.position) == (Playback.STOPPED, 1000)


def test_pausing_silences_at_once_and_playing_resumes_at_the_same_position(stage: Stage) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(450)
    stage.player.pause()
    assert not stage.output.stream.active
    assert stage.player.position == 450
    stage.player.play()
    stage.pass_time(100)
    heard = np.concatenate(stage.output.stream.played)
    np.testing.assert_array_equal(heard, stage.track.samples()[:550])


def test_seeking_while_playing_continues_from_the_new_position(stage: Stage) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(100)
    stage.player.seek(1500)
    assert stage.player.position == 1500
    stage.pass_time(200)
    assert stage.player.position == 1700
    np.testing.assert_array_equal(stage.output.stream.heard()[100:], stage.track.samples()[1500:1700])


def test_a_jump_plays_without_a_dropout_regardless_of_the_next_device_request(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(100)

    def forbidden(stream: FakeStream) -> None:
        pytest.fail("the device was stopped, so it falls silent until it has started again")

    with monkeypatch.context() as patch:
        patch.setattr(FakeStream, "abort", forbidden)
        stage.player.seek(1500)
    jumped = stage.output.stream.pull(200)  # before the player runs again
    np.testing.assert_array_equal(jumped, stage.track.samples()[1500:1700])


def test_a_jump_reports_its_position_once_it_plays(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeStream, "latency_seconds", 0.2)
    told: list[int] = []
    stage.grow(2)
    stage.player.play()
    stage.pass_time(400)
    stage.player.position_changed.connect(told.append)
    stage.player.seek(1500)
    assert stage.player.position == 1500
    stage.pass_time(200)
    assert not told
    stage.pass_time(50)
    assert told == pytest.approx([1550], abs=1)


def test_a_jump_reports_its_position_at_once_when_nothing_plays(stage: Stage) -> None:
    told: list[int] = []
    stage.grow(2)
    stage.player.position_changed.connect(told.append)
    stage.player.seek(500)
    stage.player.play()
    stage.pass_time(100)
    stage.player.seek(1500)
    stage.player.pause()
    assert told == [500, 550, 600, 1500]


def test_a_new_track_reports_its_start_even_at_the_same_position(stage: Stage, qtbot: QtBot) -> None:
    stage.grow()
    with qtbot.waitSignal(stage.player.position_changed) as told:
        stage.player.load(stage.track)
    assert told.args == [0]


def test_audio_before_a_jump_does_not_play_after_a_pause(stage: Stage) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(100)
    stage.player.pause()
    stage.player.seek(1500)
    stage.player.play()
    stage.pass_time(50)
    np.testing.assert_array_equal(stage.output.stream.heard()[100:], stage.track.samples()[1500:1550])


@pytest.mark.parametrize(("wanted", "reached"), [(-5, 0), (99_999, 1000), (10, 10)])
def test_seeking_stays_within_the_available_audio(stage: Stage, wanted: int, reached: int) -> None:
    stage.grow()
    stage.player.seek(wanted)
    assert stage.player.position == reached
    assert stage.player.playback is Playback.STOPPED


def test_playing_at_the_end_starts_again(stage: Stage) -> None:
    stage.grow()
    stage.track.finish()
    stage.player.seek(1000)
    stage.player.play()
    assert stage.player.position == 0
    assert stage.player.playback is Playback.PLAYING


def test_nothing_to_play_is_not_playing(stage: Stage) -> None:
    stage.track.finish()
    stage.player.play()
    assert stage.player.playback is Playback.STOPPED


def test_a_missing_device_is_reported_once_and_breaks_nothing(stage: Stage, qtbot: QtBot) -> None:
    stage.output.error = NoAudioDevice()
    stage.grow()
    with qtbot.waitSignal(stage.player.failed) as failed:
        stage.player.play()
    assert isinstance(failed.args[0], NoAudioDevice)
    assert stage.player.playback is Playback.STOPPED


def test_a_missing_device_is_found_out_silently(stage: Stage, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(stage.player.failed):
        assert stage.player.has_device()
        stage.output.error = NoAudioDevice()
        assert not stage.player.has_device()


def test_a_stalled_device_is_lost_and_playback_continues_on_a_new_one(stage: Stage, qtbot: QtBot) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(300)
    stage.output.stream.active = False
    with qtbot.waitSignal(stage.player.failed) as failed:
        stage.player.tick()
    assert isinstance(failed.args[0], AudioDeviceLost)
    assert (stage.player.playback, stage.player.position) == (Playback.PAUSED, 300)
    assert stage.output.stream.closed
    stage.player.play_on_current_device()
    stage.pass_time(100)
    assert stage.output.refreshed == 1
    np.testing.assert_array_equal(stage.output.stream.heard(), stage.track.samples()[300:400])


def test_simply_playing_on_finds_the_other_device_too(stage: Stage) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(300)
    stage.output.stream.active = False
    stage.player.tick()
    stage.player.play()
    stage.pass_time(100)
    assert stage.output.refreshed == 1
    np.testing.assert_array_equal(stage.output.stream.heard(), stage.track.samples()[300:400])


def test_a_device_that_is_stuck_is_lost(stage: Stage, qtbot: QtBot) -> None:
    stage.grow(2)
    stage.player.play()
    stage.clock.seconds += STALL_SECONDS + 0.1
    with qtbot.waitSignal(stage.player.failed) as failed:
        stage.player.tick()
    assert isinstance(failed.args[0], AudioDeviceLost)


def test_waiting_long_for_the_engine_is_no_lost_device(stage: Stage, qtbot: QtBot) -> None:
    stage.grow()
    stage.player.play()
    stage.pass_time(1000)
    stage.clock.seconds += 10 * STALL_SECONDS
    with qtbot.assertNotEmitted(stage.player.failed):
        stage.player.tick()
        stage.grow()
        stage.player.tick()
        stage.pass_time(100)
    assert stage.player.position == 1100


def test_a_new_track_starts_at_its_beginning(stage: Stage) -> None:
    stage.grow()
    stage.player.play()
    stage.pass_time(200)
    stage.player.load(AudioTrack())
    assert (stage.player.playback, stage.player.position) == (Playback.STOPPED, 0)
    assert stage.output.stream.closed


def test_a_speed_change_affects_audio_that_is_about_to_play(stage: Stage) -> None:
    stage.grow(4)
    stage.player.play()
    stage.pass_time(1000)
    stage.player.set_speed(2.0)
    stage.pass_time(150)  # already on the device
    assert stage.player.position == pytest.approx(1150, abs=1)
    stage.pass_time(1000)
    assert stage.player.position == pytest.approx(3150, abs=3)
    stage.player.set_speed(1.0)
    stage.pass_time(150)
    assert stage.player.position == pytest.approx(3450, abs=3)
    stage.pass_time(200)
    assert stage.player.position == pytest.approx(3650, abs=3)
    heard = stage.output.stream.heard()
    np.testing.assert_array_equal(heard[:1150], stage.track.samples()[:1150])
    np.testing.assert_array_equal(heard[-190:], stage.track.samples()[3460:3650])


def test_at_a_different_speed_playback_ends_at_the_end_of_the_track(stage: Stage) -> None:
    stage.grow(2)
    stage.track.finish()
    stage.player.set_speed(1.3)
    stage.player.play()
    stage.pass_time(1900)
    assert (stage.player.playback, stage.player.position) == (Playback.STOPPED, 2000)
    assert len(stage.output.stream.heard()) == pytest.approx(2000 / 1.3, abs=3)


def test_a_speed_chosen_while_it_is_silent_holds_when_it_plays(stage: Stage) -> None:
    stage.grow(2)
    stage.player.play()
    stage.pass_time(100)
    stage.player.pause()
    stage.player.set_speed(2.0)
    stage.player.seek(500)
    stage.player.play()
    stage.pass_time(300)
    assert stage.player.position == pytest.approx(1100, abs=3)
    stage.player.load(stage.track)
    assert stage.player.speed == 2.0


def test_audio_generated_at_the_playback_speed_plays_unchanged(stage: Stage) -> None:
    stage.track.append(chunk_of(UTTERANCES[0], 4), 1.5)
    stage.player.set_speed(1.5)
    stage.player.play()
    stage.pass_time(900)
    np.testing.assert_array_equal(stage.output.stream.heard(), stage.track.samples()[:900])


def test_utterances_after_the_one_playing_can_be_generated_again(stage: Stage) -> None:
    stage.grow(4)
    stage.player.play()
    stage.pass_time(700)
    assert stage.player.settled == 850
    stage.track.cut(stage.player.settled)
    assert stage.track.length == 1000
    stage.track.append(chunk_of(UTTERANCES[3], 4))
    stage.player.play_anew()
    stage.pass_time(1000)
    np.testing.assert_allclose(stage.output.stream.heard()[:1700], stage.track.samples()[:1700], atol=1e-6)


@given(capacity=st.integers(1, 33), steps=STEPS)
def test_written_samples_are_read_in_order(capacity: int, steps: list[tuple[bool, int]]) -> None:
    ring, source = RingBuffer(capacity), np.arange(1, 3000, dtype=np.float32)
    written, read = 0, []
    for writes, count in steps:
        if writes:
            written += ring.write(source[written : written + count])
        else:
            block = np.zeros(count, np.float32)
            read.append(block[: ring.read_into(block)])
        assert ring.readable + ring.writable == capacity
    got = np.concatenate([np.zeros(0, np.float32), *read])
    np.testing.assert_array_equal(got, source[: len(got)])
    assert ring.samples_read == len(got)
    assert ring.readable == written - len(got)


@settings(max_examples=8)
@given(capacity=st.integers(7, 700), write_size=st.integers(1, 300), read_size=st.integers(1, 300))
def test_nothing_is_lost_between_two_threads(capacity: int, write_size: int, read_size: int) -> None:
    ring, source = RingBuffer(capacity), np.random.default_rng(0).standard_normal(5_000).astype(np.float32)
    received: list[np.ndarray] = []

    def consume() -> None:
        while ring.samples_read < len(source):
            block = np.zeros(read_size, np.float32)
            received.append(block[: ring.read_into(block)])
            time.sleep(0)  # let the other thread run

    consumer = threading.Thread(target=consume)
    consumer.start()
    position = 0
    while position < len(source):
        position += ring.write(source[position : position + write_size])
        time.sleep(0)
    consumer.join(PATIENCE_SECONDS)
    np.testing.assert_array_equal(np.concatenate(received), source)


def test_reading_leaves_the_rest_of_the_block_alone() -> None:
    ring, block = RingBuffer(8), np.full(5, 9, np.float32)
    ring.write(np.array([1, 2], np.float32))
    assert ring.read_into(block) == 2
    np.testing.assert_array_equal(block, [1, 2, 9, 9, 9])


def test_all_but_the_next_samples_to_read_can_be_taken_back() -> None:
    ring = RingBuffer(10)
    ring.write(np.arange(8, dtype=np.float32))
    ring.read_into(np.zeros(5, np.float32))
    ring.write(np.arange(8, 14, dtype=np.float32))  # wraps around the end
    assert ring.take_back(2).tolist() == [7, 8, 9, 10, 11, 12, 13]
    assert ring.take_back(2).tolist() == []
    ring.write(np.array([50], np.float32))
    read = np.zeros(4, np.float32)
    assert ring.read_into(read) == 3
    assert read.tolist() == [5, 6, 50, 0]
