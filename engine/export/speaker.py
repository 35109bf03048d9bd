"""What an export needs of the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Protocol

from engine.speech import AudioChunk, Event, SpeechRequest


class Speaker(Protocol):
    """What an export needs of the engine; implemented by `engine.synthesizer.Synthesizer`."""

    sample_rate_hz: int

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        """Get ready to speak; does nothing if it is ready."""

    def fingerprint(self, voice: str) -> str:
        """What, besides the request, the samples depend on."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        """Make speech, one utterance at a time."""
