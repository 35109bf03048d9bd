import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.audio.output import AudioDeviceLost, BackgroundOutput, BlockFiller, DefaultAudioOutput, Fill, NoAudioDevice
from app.audio.player import AudioPlayer, Playback
from app.audio.track import AudioTrack
from tests.app.fakes import RATE_HZ, FakeOutput, FakeStream, chunk_of, utterances_of
from tests.patience import PATIENCE_SECONDS

NOW = SimpleNamespace(currentTime=7.0, outputBufferDacTime=7.0)


class PortAudioError(Exception):
    pass


def fake_portaudio(**names: object) -> SimpleNamespace:
    return SimpleNamespace(PortAudioError=PortAudioError, **names)


def raising(error: Exception) -> object:
    def call(*_: object, **__: object) -> None:
        raise error

    return call


@pytest.mark.parametrize("channels", [1, 2])
def test_a_block_repeats_on_every_channel_with_silence_after_the_last_sample(channels: int) -> None:
    def fill(block: np.ndarray) -> int:
        block[:3] = [1, 2, 3]
        return 3

    block = np.full((5, channels), 9, np.float32)
    BlockFiller(fill, RATE_HZ)(block, 5, NOW, None)
    np.testing.assert_array_equal(block, np.repeat([[1], [2], [3], [0], [0]], channels, axis=1))


def test_the_device_reports_when_the_last_sample_of_each_block_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [4, 4, 3, 0]
    now = iter([100.0, 100.004, 100.008, 100.012, 100.016])
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    filler = BlockFiller(lambda block: left.pop(0), RATE_HZ)
    heard_at = []
    for latency_seconds in (0.2, 0.25, 0.25, 0.25):
        filler(
            np.zeros((4, 1), np.float32),
            4,
            SimpleNamespace(currentTime=7.0, outputBufferDacTime=7 + latency_seconds),
            None,
        )
        heard_at.append(filler.heard_at)
    assert heard_at == pytest.approx([100.208, 100.262, 100.265, 100.265])


def test_samples_never_count_as_played_before_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The player may query in the middle of a block: its samples count as consumed, so their time must be known."""
    seen = []
    filler = BlockFiller(lambda block: seen.append(filler.heard_at) or 2, RATE_HZ)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    filler(np.zeros((4, 1), np.float32), 4, SimpleNamespace(currentTime=7.0, outputBufferDacTime=7.2), None)
    assert seen == pytest.approx([100.204])


def test_a_missing_library_means_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    with pytest.raises(NoAudioDevice) as caught:
        DefaultAudioOutput().check()
    assert caught.value.detail == "PortAudio library not found"


@pytest.mark.parametrize("error", [PortAudioError("Error querying device -1"), ValueError("no device")])
def test_no_default_device_means_no_device(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", fake_portaudio(query_devices=raising(error)))
    with pytest.raises(NoAudioDevice):
        DefaultAudioOutput().check()


def test_a_device_that_cannot_be_opened_means_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    module = fake_portaudio(
        query_devices=lambda kind: {"max_output_channels": 2}, OutputStream=raising(PortAudioError("busy"))
    )
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    with pytest.raises(NoAudioDevice):
        DefaultAudioOutput().open(24000, len)


def test_devices_that_cannot_be_listed_again_count_as_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    module = fake_portaudio(_terminate=lambda: None, _initialize=raising(PortAudioError("no host API")))
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    with pytest.raises(NoAudioDevice):
        DefaultAudioOutput().refresh()


class SlowStream(FakeStream):
    """A stream that starts when the test says so."""

    def __init__(self, fill: Fill, gate: threading.Event) -> None:
        super().__init__(fill)
        self.gate = gate
        self.starts = 0
        self.threads: set[int] = set()
        self.start_error: Exception | None = None

    def start(self) -> None:
        self.threads.add(threading.get_ident())
        assert self.gate.wait(PATIENCE_SECONDS)
        if self.start_error is not None:
            raise self.start_error
        assert not self.active
        self.starts += 1
        super().start()


class SlowOutput(FakeOutput):
    """A sound server that blocks until the test wakes it."""

    def __init__(self) -> None:
        super().__init__()
        self.opens, self.starts = threading.Event(), threading.Event()

    def open(self, sample_rate_hz: int, fill: Fill) -> FakeStream:
        assert self.opens.wait(PATIENCE_SECONDS)
        self.check()
        self.streams.append(SlowStream(fill, self.starts))
        return self.stream

    def wake(self) -> None:
        self.opens.set()
        self.starts.set()


class Desk:
    """A player on a slow device, with a second of speech."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot, self.slow = qtbot, SlowOutput()
        self.output = BackgroundOutput(self.slow)
        self.player = AudioPlayer(self.output)
        self.failures: list[Exception] = []
        self.player.failed.connect(self.failures.append)
        self.chunk = chunk_of(utterances_of("One.")[0], 1)
        track = AudioTrack()
        track.append(self.chunk)
        track.finish()
        self.player.load(track)

    def settle(self) -> None:
        """Wait until everything requested before is done."""
        self.output.refresh()


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    desk.slow.wake()
    desk.player.close()
    desk.settle()


def test_the_window_does_not_wait_for_the_device(desk: Desk) -> None:
    desk.player.play()
    desk.player.tick()
    assert desk.player.playback is Playback.PLAYING
    assert desk.player.position == 0
    desk.slow.wake()
    desk.settle()
    desk.slow.stream.pull(RATE_HZ)
    np.testing.assert_array_equal(desk.slow.stream.heard(), desk.chunk.samples)
    desk.qtbot.waitUntil(lambda: desk.player.playback is Playback.STOPPED)
    assert desk.player.position == RATE_HZ
    assert not desk.failures
    assert threading.get_ident() not in desk.slow.stream.threads


@pytest.mark.parametrize("error", [NoAudioDevice(), AudioDeviceLost()])
def test_a_device_that_fails_to_start_reports_an_error(desk: Desk, error: NoAudioDevice | AudioDeviceLost) -> None:
    desk.player.play()
    if isinstance(error, NoAudioDevice):
        desk.slow.error = error
    else:
        desk.slow.opens.set()
        desk.qtbot.waitUntil(lambda: bool(desk.slow.streams))
        desk.slow.stream.start_error = error
    desk.slow.wake()
    desk.qtbot.waitUntil(lambda: bool(desk.failures))
    assert desk.failures == [error]
    assert desk.player.playback is not Playback.PLAYING


def test_stopping_before_it_has_opened_stays_silent(desk: Desk) -> None:
    desk.player.play()
    desk.player.stop()
    desk.slow.wake()
    desk.settle()
    assert not desk.slow.stream.active


def test_stopping_while_it_starts_is_silent_as_soon_as_it_can_be(desk: Desk) -> None:
    desk.slow.opens.set()
    desk.player.play()
    desk.qtbot.waitUntil(lambda: bool(desk.slow.streams) and bool(desk.slow.stream.threads))
    desk.player.pause()
    desk.slow.starts.set()
    desk.settle()
    assert desk.slow.stream.starts == 1
    assert not desk.slow.stream.active


def test_stopping_while_it_plays_is_silent_at_once(desk: Desk) -> None:
    desk.slow.wake()
    desk.player.play()
    desk.settle()
    desk.player.pause()
    assert not desk.slow.stream.active


def test_pausing_and_playing_again_while_it_starts(desk: Desk) -> None:
    desk.slow.opens.set()
    desk.player.play()
    desk.qtbot.waitUntil(lambda: bool(desk.slow.streams) and bool(desk.slow.stream.threads))
    desk.player.pause()
    desk.player.play()
    desk.slow.starts.set()
    desk.settle()
    assert desk.slow.stream.starts == 1
    assert desk.slow.stream.active
    desk.player.pause()
    desk.player.play()
    desk.settle()
    assert desk.slow.stream.starts == 2


def test_a_device_that_disappears_reports_an_error(desk: Desk) -> None:
    desk.slow.wake()
    desk.player.play()
    desk.settle()
    desk.slow.stream.active = False
    desk.qtbot.waitUntil(lambda: bool(desk.failures))
    assert isinstance(desk.failures[0], AudioDeviceLost)


def test_devices_are_searched_again_after_the_old_one_closes(desk: Desk) -> None:
    desk.slow.wake()
    desk.player.play()
    desk.player.close()
    desk.output.refresh()
    assert desk.slow.stream.closed
    assert desk.slow.refreshed == 1


def test_a_missing_device_is_found_out(desk: Desk) -> None:
    desk.slow.error = NoAudioDevice()
    with pytest.raises(NoAudioDevice):
        desk.output.check()
