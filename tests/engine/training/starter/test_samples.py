"""The sounds of `resources/samples` are those of the starter that is shipped, and of its teacher."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from engine.models.checkpoints import FULL_SIZE, STARTER
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.system.paths import resources_folder
from engine.training.starter.texts import HELD_OUT_SENTENCES
from engine.training.starter.voices import STARTER_VOICES
from tests.engine.exactness import correlation

SENTENCE = "Bring a warm scarf, because the wind is sharp."
LEAST_CORRELATION = 0.99
"""Durations that round the other way on another processor would make it far less, and another starter, too."""


def sample(voice: str, model: str) -> tuple[np.ndarray, int]:
    samples, rate_hz = soundfile.read(resources_folder() / "samples" / f"{voice}-{model}.wav", dtype="float32")
    return samples, rate_hz


def test_the_sentence_is_held_out() -> None:
    assert SENTENCE in HELD_OUT_SENTENCES
    assert SENTENCE in (resources_folder() / "samples" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("voice", STARTER_VOICES)
def test_a_sample_is_what_the_starter_says(starter: Synthesizer, voice: str) -> None:
    spoken = np.concatenate([chunk.samples for chunk in starter.synthesize(SpeechRequest(SENTENCE, voice))])
    kept, rate_hz = sample(voice, STARTER)
    assert (rate_hz, len(kept)) == (starter.sample_rate_hz, len(spoken))
    assert correlation(spoken, kept) > LEAST_CORRELATION


@pytest.mark.parametrize("voice", STARTER_VOICES)
def test_the_teacher_says_it_in_the_same_time(voice: str) -> None:
    """Within a tenth: the durations are learnt from it."""
    ours, theirs = (len(sample(voice, model)[0]) for model in (STARTER, FULL_SIZE))
    assert ours == pytest.approx(theirs, rel=0.1)
