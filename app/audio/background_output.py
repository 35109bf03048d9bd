"""Opens and starts the streams of an audio output in a separate thread: a sleeping sound server may take seconds."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from app.audio.output import AudioDeviceError, AudioOutput, Fill, OutputStream


class BackgroundOutput:
    """Does everything that concerns the device in one thread, in the order of the calls."""

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
        """Follow the default device, in the background; an error shows up when the next stream opens."""
        self._thread.submit(self._output.follow_default)

    def open(self, sample_rate_hz: int, fill: Fill) -> OutputStream:
        """Return a stream that is still being opened; if that fails, its `error` is set a moment later."""
        return _BackgroundStream(self._thread, self._thread.submit(self._output.open, sample_rate_hz, fill))


class _BackgroundStream:
    """`_wanted` is the state requested, `_started` the actual one; the lock is held only to compare the two."""

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
        """Stop at once, or as soon as it has started."""
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
