"""Plays a track that may still be growing: play, pause, seek, and the current playback position."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audio.output import AudioDeviceError, AudioDeviceLost, AudioOutput, OutputStream
from app.audio.playback_source import PlayableAudio, PlaybackSource
from app.audio.time_range import SAMPLE
from app.audio.track import AudioTrack
from engine.speech import Samples

TICK_MS = 16
BUFFERED_SECONDS = 5.0
"""The time that the window may be busy without an audible gap; a slow CPU takes two seconds to add the diagnostics."""
SETTLED_SECONDS = 0.15
"""The samples that the device takes next and that no longer change: more than one block, but a short wait."""
STALL_SECONDS = 3.0
"""A device that takes nothing for this long is lost; a sleeping sound server was seen to need two seconds."""
RING_OUT_SECONDS = 0.2
"""A device may lag more than it reports; waiting this long after the last sample keeps the end from being cut off."""


class RingBuffer:
    """Samples in transit; only the producer calls `write`, only the consumer `read_into`.

    Both counters only increase, except in `take_back`. Each is changed by one side only, after the samples it counts
    have been copied, so no lock is needed.
    """

    def __init__(self, capacity_samples: int) -> None:
        self._samples: Samples = np.zeros(capacity_samples, np.float32)
        self._written = 0
        self._read = 0

    @property
    def readable(self) -> int:
        """The number of samples waiting to be read."""
        return self._written - self._read

    @property
    def writable(self) -> int:
        """The number of samples that currently fit."""
        return len(self._samples) - self.readable

    @property
    def samples_read(self) -> int:
        """The total number of samples read."""
        return self._read

    def write(self, samples: Samples) -> int:
        """Write as many of `samples` [n] as fit and return their number."""
        count = min(len(samples), self.writable)
        start = self._written % len(self._samples)
        head = min(count, len(self._samples) - start)
        self._samples[start : start + head] = samples[:head]
        self._samples[: count - head] = samples[head:count]
        self._written += count
        return count

    def take_back(self, keep: int) -> Samples:
        """Remove all but the next `keep` samples from the end and return them [n].

        The consumer may be running if it never reads as many as `keep` at once.
        """
        end = min(self._read + keep, self._written)
        removed = self._samples[np.arange(end, self._written) % len(self._samples)]
        self._written = end
        return removed

    def read_into(self, target: NDArray[np.float32]) -> int:
        """Copy the available samples to the start of `target` [n] and return their number; leave the rest unchanged."""
        count = min(len(target), self.readable)
        start = self._read % len(self._samples)
        head = min(count, len(self._samples) - start)
        target[:head] = self._samples[start : start + head]
        target[head:count] = self._samples[: count - head]
        self._read += count
        return count


class Playback(Enum):
    """The state of the player."""

    STOPPED = "stopped"
    PLAYING = "playing"
    PAUSED = "paused"


class AudioPlayer(QObject):
    """Feeds a ring buffer from the track; the device's callback only reads the ring.

    A position is the sample of the track that is playing now, which lags behind the samples that the device has taken.
    At a speed different from the track's, positions pass at a different rate.

    The device keeps running when the player seeks: samples it has already taken are played first, then those at the
    target. `position` becomes the target immediately, and `jumped` carries it; `position_changed` follows when the
    target is played, or immediately if nothing is playing.
    """

    playback_changed = Signal(object)
    position_changed = Signal(SAMPLE)
    jumped = Signal(SAMPLE)
    failed = Signal(object)

    def __init__(
        self, output: AudioOutput, clock: Callable[[], float] = time.monotonic, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._output = output
        self._clock = clock
        self._track: PlayableAudio = _nothing()
        self._playback = Playback.STOPPED
        self._ring = RingBuffer(1)
        self._stream: OutputStream | None = None
        self._position = 0
        self._told_position: int | None = None
        self._feed = PlaybackSource(self._track)
        self._read = 0
        self._moved_at = self._alive_at = clock()
        self._started = False
        self._devices_changed = False
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self.tick)

    @property
    def playback(self) -> Playback:
        """The state of the player."""
        return self._playback

    @property
    def position(self) -> int:
        """The sample that is playing now, or would be next."""
        return self._position

    @property
    def waiting(self) -> bool:
        """True if it is playing but has run out of samples for now, at the end of the generated audio or in a gap."""
        at_end = self._position >= self._track.end_at(self._position)
        over = self._track.ends and self._position >= self._track.length
        return self._playback is Playback.PLAYING and at_end and not over

    @property
    def settled(self) -> int:
        """The first sample whose playback can still be changed; the device is about to take those before."""
        return self._feed.position_of(self._ring.samples_read + self._count(SETTLED_SECONDS))

    @property
    def speed(self) -> float:
        """The speed of playback, regardless of the speed of generation; 1 is the voice's own pace."""
        return self._feed.speed

    def set_speed(self, speed: float) -> None:
        """Change the playback speed, keeping the pitch."""
        if speed != self._feed.speed:
            self._feed.speed = speed
            self.play_anew()

    def play_anew(self) -> None:
        """Continue with the current track and speed, dropping the samples prepared for the device."""
        self._feed.take_back(self._ring.take_back(self._count(SETTLED_SECONDS)))
        self.tick()

    def has_device(self) -> bool:
        """Return whether there is an output device; the first check loads PortAudio, so that playback starts sooner."""
        try:
            self._output.check()
        except AudioDeviceError:
            return False
        return True

    def load(self, track: PlayableAudio) -> None:
        """Switch to the start of a different track, on the default device at that time."""
        self.stop()
        self._close()
        with suppress(AudioDeviceError):  # reported when playback is requested
            self._output.follow_default()
        self._track = track
        self._move_to(0)

    @Slot()
    def play(self) -> None:
        """Play from the current position, or from the start if at the end."""
        if self._track.ends and self._position >= self._track.length:
            self._move_to(0)
        if self._track.ends and not self._track.length:
            return
        self._timer.start()
        self._become(Playback.PLAYING)
        self.tick()

    @Slot()
    def pause(self) -> None:
        """Pause immediately, at the last sample played."""
        if self._playback is Playback.PLAYING:
            self._halt(Playback.PAUSED)

    @Slot()
    def stop(self) -> None:
        """Stop immediately; the position stays."""
        self._halt(Playback.STOPPED)

    def seek(self, position: int) -> None:
        """Go to a sample; keeps playing if it is playing."""
        self._move_to(min(max(position, 0), self._track.length))
        self.jumped.emit(self._position)
        self.tick()

    def move(self, position: int, by: int) -> None:
        """Adjust to a track whose samples from `position` on have moved `by` samples later; the audio is unchanged."""
        self._feed.move(position, by)
        if self._position >= position:
            self._position += by
            self._send_position()

    def play_on_current_device(self) -> None:
        """Look for devices again and continue on the default one, after a device was connected or disconnected."""
        self.stop()
        self._close()
        try:
            self._output.refresh()
            self._devices_changed = False
            self._output.check()
        except AudioDeviceError as error:
            self.failed.emit(error)
            return
        self.play()

    def release(self) -> None:
        """Pause and release the device for other players."""
        self.pause()
        self._close()

    def close(self) -> None:
        """Stop and release the device."""
        self.stop()
        self._close()

    @Slot()
    def tick(self) -> None:
        """Feed the ring, update the position, and detect the end or a lost device."""
        if self._playback is not Playback.PLAYING:
            return
        try:
            self._fill()
        except AudioDeviceError as error:
            self._fail(error)
            return
        self._follow()
        if self._has_rung_out():
            self._halt(Playback.STOPPED)
        elif (lost := self._device_error()) is not None:
            self._fail(lost)

    def _fill(self) -> None:
        if self._stream is None and not self._feed.exhausted:
            self._open()
        _pour(self._feed, self._ring)
        if self._stream is not None and not self._started and self._ring.readable:
            self._stream.start()
            self._started = True
            self._alive_at = self._clock()

    def _open(self) -> None:
        if self._devices_changed:
            self._output.refresh()
            self._devices_changed = False
        self._ring = self._new_ring()
        self._stream = self._output.open(self._track.sample_rate_hz, self._read_into)

    def _follow(self) -> None:
        """Update the position: playback lags behind the samples read, and advances with the clock."""
        read = self._ring.samples_read  # before the lag, which then belongs to these samples or to later ones
        if read != self._read or not self._ring.readable:
            self._read, self._alive_at = read, self._clock()
        if self._stream is None or not read:
            return
        lag = round(self._stream.lag_seconds * self._track.sample_rate_hz)
        if lag >= read:
            return
        heard = self._feed.position_of(read - max(0, lag))
        if heard > self._position:
            self._moved_at = self._clock()
            self._position = heard
        self._send_position()

    def _has_rung_out(self) -> bool:
        if not self._track.ends or self._position < self._track.length:
            return False
        return self._clock() - self._moved_at >= RING_OUT_SECONDS

    def _device_error(self) -> AudioDeviceError | None:
        if self._stream is None or not self._started:
            return None
        stalled = self._ring.readable > 0 and self._clock() - self._alive_at > STALL_SECONDS
        gone = stalled or not self._stream.active
        return self._stream.error or (AudioDeviceLost() if gone else None)

    def _fail(self, error: AudioDeviceError) -> None:
        self._halt(Playback.PAUSED if isinstance(error, AudioDeviceLost) else Playback.STOPPED)
        self._close()
        self._devices_changed = True
        self.failed.emit(error)

    def _halt(self, playback: Playback) -> None:
        self._timer.stop()
        if self._stream is not None and self._started:
            self._stream.abort()
        self._started = False
        self._feed_from(self._position)
        self._send_position()
        self._become(playback)

    def _close(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = None
        self._started = False
        self._feed_from(self._position)

    def _move_to(self, position: int) -> None:
        self._feed_from(position)
        self._position, self._told_position = position, None
        if not self._started or not self._ring.readable:
            self._send_position()

    def _feed_from(self, position: int) -> None:
        """Feed the device from this sample on: the new samples are ready before the prepared ones are dropped."""
        self._feed, ring = PlaybackSource(self._track, position, self._feed.speed), self._new_ring()
        if self._started:
            _pour(self._feed, ring)
        self._ring = ring
        self._read = 0
        self._moved_at = self._alive_at = self._clock()

    def _read_into(self, block: NDArray[np.float32]) -> int:
        """Fill a block for the device; runs in the audio thread."""
        return self._ring.read_into(block)

    def _new_ring(self) -> RingBuffer:
        return RingBuffer(max(1, self._count(BUFFERED_SECONDS)))

    def _count(self, seconds: float) -> int:
        return round(seconds * self._track.sample_rate_hz)

    def _send_position(self) -> None:
        if self._position != self._told_position:
            self._told_position = self._position
            self.position_changed.emit(self._position)

    def _become(self, playback: Playback) -> None:
        if playback is not self._playback:
            self._playback = playback
            self.playback_changed.emit(playback)


def _nothing() -> PlayableAudio:
    track = AudioTrack()
    track.finish()
    return track


def _pour(feed: PlaybackSource, ring: RingBuffer) -> None:
    while len(samples := feed.read(ring.writable)):
        ring.write(samples)
