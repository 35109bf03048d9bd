"""Plays samples as they come, for the command line; blocks while the device's buffer is full.

It does not know the application's player, which must never block.
"""

from __future__ import annotations

from types import TracebackType

import numpy as np

from engine.errors import OutputError
from engine.speech import Samples


class Loudspeaker:
    """The default output device, mono; raises `OutputError` when there is none."""

    def __init__(self, sample_rate_hz: int) -> None:
        self._sample_rate_hz = sample_rate_hz

    def __enter__(self) -> Loudspeaker:
        try:
            import sounddevice  # loads PortAudio, which may be missing: OSError
        except OSError as error:
            raise no_device(error) from error
        try:
            self._stream = sounddevice.OutputStream(samplerate=self._sample_rate_hz, channels=1, dtype="float32")
            self._stream.start()
        except sounddevice.PortAudioError as error:
            raise no_device(error) from error
        return self

    def play(self, samples: Samples) -> None:
        """Queue samples, waiting while the device is busy."""
        self._stream.write(np.ascontiguousarray(samples[:, None]))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._stream.stop()  # plays what is queued
        else:
            self._stream.abort()
        self._stream.close()


def no_device(error: Exception) -> OutputError:
    """What to say when the sound system refuses."""
    return OutputError(f"There is no usable audio device ({error}).", "Leave out --play and write a file with --out.")
