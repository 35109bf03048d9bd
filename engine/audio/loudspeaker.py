"""Plays samples for the command line as they arrive, while the next ones are computed.

The application has a separate player, which can pause, seek and change devices.
"""

from __future__ import annotations

import queue
import threading
from types import TracebackType

import numpy as np

from engine.errors import OutputError
from engine.speech import Samples

BLOCK_SECONDS = 0.05
"""The length of the blocks handed to the device, which is the maximum time that stopping takes."""


class Loudspeaker:
    """Plays on the default output device, mono, from a thread.

    Raises `OutputError` if there is no device or it fails. Leaving the block waits until all audio has been played;
    leaving it with an error stops playback immediately.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._waiting: queue.SimpleQueue[Samples | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._failure: OutputError | None = None
        self._fed = threading.Event()  # an interrupted join marks the thread as ended (Python 3.11)

    def __enter__(self) -> Loudspeaker:
        try:
            import sounddevice  # loads PortAudio, which may be missing: OSError
        except OSError as error:
            raise no_device(error) from error
        self._device_error = sounddevice.PortAudioError
        try:
            self._stream = sounddevice.OutputStream(samplerate=self._sample_rate_hz, channels=1, dtype="float32")
            self._stream.start()
        except self._device_error as error:
            raise no_device(error) from error
        threading.Thread(target=self._feed, name="loudspeaker", daemon=True).start()
        return self

    def play(self, samples: Samples) -> None:
        """Queue samples to play after the earlier ones; does not block."""
        self._raise_failure()
        self._waiting.put(samples)

    def finish(self) -> None:
        """Wait until the device has taken all samples; no more can follow. Raises `OutputError`."""
        self._waiting.put(None)
        self._fed.wait()
        self._raise_failure()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        played = False
        try:
            if kind is None:
                self.finish()
                played = True
        finally:
            self._close(played)

    def _close(self, played: bool) -> None:
        self._stopping.set()
        self._waiting.put(None)
        self._fed.wait()
        if played:
            self._stream.stop()  # waits until the device has played everything
        else:
            self._stream.abort()
        self._stream.close()

    def _feed(self) -> None:
        try:
            while not self._stopping.is_set() and (samples := self._waiting.get()) is not None:
                self._write(samples)
        except self._device_error as error:
            self._failure = no_device(error)
        finally:
            self._fed.set()

    def _write(self, samples: Samples) -> None:
        block = round(BLOCK_SECONDS * self._sample_rate_hz)
        for start in range(0, len(samples), block):
            if self._stopping.is_set():
                return
            self._stream.write(np.ascontiguousarray(samples[start : start + block, None]))

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


def no_device(error: Exception) -> OutputError:
    """Return the error for an audio system that refuses to play."""
    return OutputError(f"There is no usable audio device ({error}).", "Omit --play and write a file with --out.")
