import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from app.audio.output import DefaultAudioOutput, NoAudioDevice, _BlockFiller

RATE_HZ = 1000
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
def test_a_block_is_the_same_on_every_channel_and_silent_where_nothing_is_left(channels: int) -> None:
    def fill(block: np.ndarray) -> int:
        block[:3] = [1, 2, 3]
        return 3

    block = np.full((5, channels), 9, np.float32)
    _BlockFiller(fill, RATE_HZ)(block, 5, NOW, None)
    np.testing.assert_array_equal(block, np.repeat([[1], [2], [3], [0], [0]], channels, axis=1))


def test_when_the_last_sample_is_heard_is_told_by_the_device_for_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [4, 4, 3, 0]
    now = iter([100.0, 100.004, 100.008, 100.012, 100.016])
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    filler = _BlockFiller(lambda block: left.pop(0), RATE_HZ)
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


def test_samples_are_never_thought_to_be_heard_before_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The player may look in the middle of a block: its samples count as taken, so their time must be known by then."""
    seen = []
    filler = _BlockFiller(lambda block: seen.append(filler.heard_at) or 2, RATE_HZ)
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


def test_devices_that_cannot_be_listed_anew_mean_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    module = fake_portaudio(_terminate=lambda: None, _initialize=raising(PortAudioError("no host API")))
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    with pytest.raises(NoAudioDevice):
        DefaultAudioOutput().refresh()
