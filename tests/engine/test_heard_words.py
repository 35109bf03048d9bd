"""Tests of the words' times against an aligner that knows neither the model nor its alignment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.training.starter.texts import HARVARD_SENTENCES
from tests.engine.forced_alignment import Aligner
from tests.starter_voices import FEMALE
from tests.trained import needs_trained

CLOSE_SECONDS = 0.06
CLOSE_SHARE = 0.9
OF_A_LARGE_MODEL = HARVARD_SENTENCES[::6]
"""About fifty words."""


def differences(synthesizer: Synthesizer, voice: str, text: str, aligner: Aligner) -> list[tuple[float, float]]:
    """Return how much later each word starts and ends than the aligner finds, in seconds."""
    chunks = list(synthesizer.synthesize(SpeechRequest(text, voice)))
    offsets = np.cumsum([0, *(len(chunk.samples) for chunk in chunks)])
    ours = [
        ((offset + word.start_sample) / chunk.sample_rate_hz, (offset + word.end_sample) / chunk.sample_rate_hz)
        for chunk, offset in zip(chunks, offsets, strict=False)
        for word in chunk.words
    ]
    samples = np.concatenate([chunk.samples for chunk in chunks])
    theirs = aligner.align(text, samples, synthesizer.sample_rate_hz)
    return [
        (start - heard.start_seconds, end - heard.end_seconds) for (start, end), heard in zip(ours, theirs, strict=True)
    ]


def check(synthesizer: Synthesizer, voice: str, sentences: Sequence[str] = HARVARD_SENTENCES) -> None:
    aligner = Aligner()
    found = np.array([pair for text in sentences for pair in differences(synthesizer, voice, text, aligner)])
    starts, ends = np.abs(found).T
    assert (starts <= CLOSE_SECONDS).mean() >= CLOSE_SHARE
    assert (ends <= CLOSE_SECONDS).mean() >= CLOSE_SHARE
    assert np.abs(np.median(found, axis=0)).max() < CLOSE_SECONDS / 3


def test_starter_words_are_spoken_at_their_reported_times(starter: Synthesizer) -> None:
    check(starter, FEMALE)


@needs_trained
@pytest.mark.parametrize("voice", ["af_heart", "am_michael"])
def test_trained_model_words_are_spoken_at_their_reported_times(trained_synthesizer: Synthesizer, voice: str) -> None:
    check(trained_synthesizer, voice, OF_A_LARGE_MODEL)
