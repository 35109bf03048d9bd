"""The default audio device through PortAudio, and its errors; a callback function fills each block of samples."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.speech import Samples

LATENCY_SECONDS = 0.2
"""Long enough for a busy machine not to stutter. It delays neither start nor stop: the first block is filled at once,
and what is queued is dropped when playing ends. A jump is heard after it, since a device that is stopped for the jump
falls silent for as long as it takes to start again."""

Fill = Callable[[Samples], int]
"""Writes the next samples into the start of the block it is given and returns how many it had."""


class AudioDeviceError(EngineError):
    """Something is wrong with the sound output; speech is still made, shown and saved."""


class NoAudioDevice(AudioDeviceError):
    """No output device was found."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(
            "No audio device was found, but the speech has been made.",
            "Save it as a file, or connect a device and play it.",
        )
        self.detail = detail


class AudioDeviceLost(AudioDeviceError):
    """The device disappeared during playback."""

    def __init__(self) -> None:
        super().__init__("The audio device is gone, so playback is paused.", "Nothing is lost.")


class OutputStream(Protocol):
    """An open device; `abort` drops the queued samples, and the stream may be started again afterwards."""

    @property
    def active(self) -> bool:
        """Whether blocks are being requested."""

    @property
    def error(self) -> AudioDeviceError | None:
        """The error since `start` was called, unless it was raised at once."""

    @property
    def lag_seconds(self) -> float:
        """The time from now until the sample that was taken last is heard; negative once it has been."""

    def start(self) -> None:
        """Start playing; raises `AudioDeviceError`."""

    def abort(self) -> None:
        """Stop the sound at once."""

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
        """Make a stream, not yet started; raises `AudioDeviceError`."""


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
        """Look for devices again on macOS, where that is quick and needed; on Linux the sound server follows it."""
        if sys.platform == "darwin":
            self.refresh()

    def open(self, sample_rate_hz: int, fill: Fill) -> OutputStream:
        """Make a stream with the same samples on one or two channels."""
        sounddevice = _portaudio()
        channels = min(2, int(self._device(sounddevice)["max_output_channels"]))
        filler = _BlockFiller(fill, sample_rate_hz)
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
    def __init__(self, stream: Any, filler: _BlockFiller, portaudio_error: type[Exception]) -> None:
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


class _BlockFiller:
    """PortAudio's callback: copies samples to every channel and notes when they are heard, nothing else.

    The time is the device's own for each block: the latency that a stream reports when it is opened leaves out what a
    sound server adds.
    """

    def __init__(self, fill: Fill, sample_rate_hz: int) -> None:
        self._fill = fill
        self._sample_rate_hz = sample_rate_hz
        self.heard_at = time.monotonic()
        """When the last sample so far is heard; while a block is copied, the time at which that block ends."""

    def __call__(self, block: NDArray[np.float32], frames: int, times: Any, status: object) -> None:
        before = self.heard_at
        begins_at = time.monotonic() + times.outputBufferDacTime - times.currentTime
        self.heard_at = begins_at + frames / self._sample_rate_hz  # before the samples are counted as taken
        count = self._fill(block[:, 0])
        block[count:, 0] = 0
        block[:, 1:] = block[:, :1]
        if count < frames:
            self.heard_at = begins_at + count / self._sample_rate_hz if count else before
