"""Times requests as the application makes them: how long until the first audio.

It does not know the stages.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from engine.artifacts.manifest import CPU_DEVICE
from engine.benchmark.job import Job
from engine.speech import SpeechRequest
from engine.synthesizer import Synthesizer

SPEAK = "speak"


class Speaking:
    """Answers `speak` with the seconds from the request to its first audio; loads the model with the first."""

    def __init__(self, job: Job) -> None:
        self._synthesizer = Synthesizer(job.model, CPU_DEVICE, job.weights)
        self._voice = self._synthesizer.voices()[0].name

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        if question != SPEAK:
            raise ValueError(question)
        started = time.perf_counter()
        chunks = self._synthesizer.synthesize(SpeechRequest(details["text"], self._voice))
        next(iter(chunks))
        return {"seconds_to_first_audio": time.perf_counter() - started}
