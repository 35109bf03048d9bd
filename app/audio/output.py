"""The default audio device through PortAudio, and its errors; a callback function fills each block of samples.

Streams are opened and started in a separate thread: a sleeping sound server may take seconds.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.speech import Samples

LATENCY_SECONDS = 0.2
"""Buffered audio, long enough for a busy machine not to stutter.

It delays neither start nor stop: the first block is filled immediately, and queued samples are dropped when playback
ends. A jump takes effect after this delay, since a device that is stopped for the jump falls silent for as long as it
takes to start again.
"""

Fill = Callable[[Samples], int]
"""A function that writes the next samples to the start of the block it is given and returns their number."""


class AudioDeviceError(EngineError):
    """A problem with the audio output; speech can still be generated, shown and saved."""


class NoAudioDevice(AudioDeviceError):
    """No output device was found."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(
            "No audio device was found. Your audio is ready to save.",
            "Save it as a file, or connect a device to play it.",
        )
        self.detail = detail


class AudioDeviceLost(AudioDeviceError):
    """The device disappeared during playback."""

    def __init__(self) -> None:
        super().__init__("Playback paused: the audio device was disconnected.", "Nothing is lost.")


class OutputStream(Protocol):
    """An open device; `abort` drops the queued samples, and the stream may be started again afterwards."""

    @property
    def active(self) -> bool:
        """True while blocks are being requested."""

    @property
    def error(self) -> AudioDeviceError | None:
        """The error since `start` was called, unless `start` raised it."""

    @property
    def lag_seconds(self) -> float:
        """The time from now until the sample taken last is played; negative afterwards."""

    def start(self) -> None:
        """Start playing; raises `AudioDeviceError`."""

    def abort(self) -> None:
        """Stop the audio immediately."""

    def close(self) -> None:
        """Release the device."""


class AudioOutput(Protocol):
    """Opens streams on the current default device."""

    def check(self) -> None:
        """Raise `NoAudioDevice` if there is none."""

    def refresh(self) -> None:
        """Look for devices again; no stream may be open."""

    def follow_default(self) -> None:
        """Ensure that the next stream opens on the current default device; no stream may be open."""

    def open(self, sample_rate_hz: int, fill: Fill) -> OutputStream:
        """Create a stream without starting it; raises `AudioDeviceError`."""


class DefaultAudioOutput:
    """The system's default output; PortAudio is loaded on first use."""

    def check(self) -> None:
        """Raise `NoAudioDevice` if there is none."""
        self._device(_portaudio())

    def refresh(self) -> None:
        """Look for devices again.

        PortAudio lists devices only when it starts, and sounddevice has no public name for starting it again.
        """
        sounddevice = _portaudio()
        try:
            sounddevice._terminate()
            sounddevice._initialize()
        except sounddevice.PortAudioError as error:
            raise NoAudioDevice(str(error)) from error

    def follow_default(self) -> None:
        """Look for devices again on macOS, where that is quick and needed; Linux sound servers follow the default."""
        if sys.platform == "darwin":
            self.refresh()

    def open(self, sample_rate_hz: int, fill: Fill) -> OutputStream:
        """Create a stream with the same samples on one or two channels."""
        sounddevice = _portaudio()
        channels = min(2, int(self._device(sounddevice)["max_output_channels"]))
        filler = BlockFiller(fill, sample_rate_hz)
        try:
            stream = sounddevice.OutputStream(
                samplerate=sample_rate_hz,
                channels=channels,
                dtype="float32",
                latency=LATENCY_SECONDS,
                callback=filler,
            )
        except sounddevice.PortAudioError as error:
            raise NoAudioDevice(str(error)) from error
        return _PortAudioStream(stream, filler, sounddevice.PortAudioError)

    def _device(self, sounddevice: Any) -> Any:
        try:
            return sounddevice.query_devices(kind="output")
        except (sounddevice.PortAudioError, ValueError) as error:
            raise NoAudioDevice(str(error)) from error


class _PortAudioStream:
    def __init__(self, stream: Any, filler: BlockFiller, portaudio_error: type[Exception]) -> None:
        self._stream = stream
        self._filler = filler
        self._portaudio_error = portaudio_error

    @property
    def active(self) -> bool:
        try:
            return bool(self._stream.active)
        except self._portaudio_error:
            return False

    @property
    def error(self) -> AudioDeviceError | None:
        return None

    @property
    def lag_seconds(self) -> float:
        return self._filler.heard_at - time.monotonic()

    def start(self) -> None:
        try:
            self._stream.start()
        except self._portaudio_error as error:
            raise AudioDeviceLost from error

    def abort(self) -> None:
        self._stream.abort(ignore_errors=True)

    def close(self) -> None:
        self._stream.close(ignore_errors=True)


def _portaudio() -> Any:
    try:
        import sounddevice  # loads the PortAudio library, which may be missing
    except OSError as error:
        raise NoAudioDevice(str(error)) from error
    return sounddevice


class BlockFiller:
    """PortAudio's callback; only copies samples to every channel and notes their playback time.

    The device gives the time of each block: the latency that a stream reports when it is opened leaves out the delay of
    a sound server.
    """

    def __init__(self, fill: Fill, sample_rate_hz: int) -> None:
        self._fill = fill
        self._sample_rate_hz = sample_rate_hz
        self.heard_at = time.monotonic()
        """The playback time of the last sample; while a block is copied, the time at which that block ends."""

    def __call__(self, block: NDArray[np.float32], frames: int, times: Any, status: object) -> None:
        """Copy the next samples into a block [frames, channels]; zeros where there are none."""
        before = self.heard_at
        begins_at = time.monotonic() + times.outputBufferDacTime - times.currentTime
        self.heard_at = begins_at + frames / self._sample_rate_hz  # before the samples are counted as taken
        count = self._fill(block[:, 0])
        block[count:, 0] = 0
        block[:, 1:] = block[:, :1]
        if count < frames:
            self.heard_at = begins_at + count / self._sample_rate_hz if count else before


class BackgroundOutput:
    """An output that handles the device in one thread, in the order of the calls."""

    def __init__(self, output: AudioOutput) -> None:
        self._output = output
        self._thread = ThreadPoolExecutor(1, "audio device")

    def check(self) -> None:
        """Raise `NoAudioDevice` if there is none."""
        self._output.check()

    def refresh(self) -> None:
        """Look for devices again, after any stream still to be closed."""
        self._thread.submit(self._output.refresh).result()

    def follow_default(self) -> None:
        """Follow the default device in the background; an error shows up when the next stream opens."""
        self._thread.submit(self._output.follow_default)

    def open(self, sample_rate_hz: int, fill: Fill) -> OutputStream:
        """Return a stream that is still being opened; if that fails, its `error` is set a moment later."""
        return _BackgroundStream(self._thread, self._thread.submit(self._output.open, sample_rate_hz, fill))


class _BackgroundStream:
    """A stream whose device is opened, started and closed in the background.

    `_wanted` is the state requested, `_started` the actual one; the lock is held only to compare the two.
    """

    def __init__(self, thread: ThreadPoolExecutor, opening: Future[OutputStream]) -> None:
        self._thread = thread
        self._opening = opening
        self._latest: Future[Any] = opening
        self._lock = threading.Lock()
        self._wanted = False
        self._started = False

    @property
    def error(self) -> AudioDeviceError | None:
        error = self._latest.exception() if self._latest.done() else None
        return error if isinstance(error, AudioDeviceError) else None

    @property
    def active(self) -> bool:
        """True also while the stream is still starting."""
        if not self._latest.done():
            return self._wanted
        stream = self._opened
        return stream is not None and stream.active

    @property
    def lag_seconds(self) -> float:
        stream = self._opened
        return stream.lag_seconds if stream is not None else 0.0

    def start(self) -> None:
        self._wanted = True
        self._latest = self._thread.submit(self._start)

    def abort(self) -> None:
        """Stop immediately, or as soon as it has started."""
        with self._lock:
            self._wanted, started, self._started = False, self._started, False
        if started:
            self._opening.result().abort()

    def close(self) -> None:
        self._wanted = False
        self._thread.submit(self._close)

    @property
    def _opened(self) -> OutputStream | None:
        done = self._opening.done() and self._opening.exception() is None
        return self._opening.result() if done else None

    def _start(self) -> None:
        if self._started or not self._wanted:
            return
        stream = self._opening.result()
        stream.start()
        with self._lock:
            self._started = self._wanted
        if not self._started:
            stream.abort()

    def _close(self) -> None:
        stream = self._opened
        if stream is not None:
            stream.close()
