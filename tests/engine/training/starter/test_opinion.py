"""The opinion score must prefer speech to noise, and name what is not installed."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from engine.errors import EngineError
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.training.starter.measures import OpinionScore

RATE_HZ = 24_000


def test_speech_is_better_than_the_same_speech_in_noise() -> None:
    synthesizer = Synthesizer()
    voice = synthesizer.voices()[0].name
    speech = np.concatenate([chunk.samples for chunk in synthesizer.synthesize(SpeechRequest("Read it again.", voice))])
    synthesizer.close()
    noise = 0.05 * np.random.default_rng(0).standard_normal(len(speech)).astype(np.float32)
    score = OpinionScore()
    clean, noisy = score.overall(speech, RATE_HZ), score.overall(speech + noise, RATE_HZ)
    assert 1 < noisy < clean - 0.5 < 5


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"DNSMOS.*\.venv/bin/python -m pip install '\.\[train\]'"):
        OpinionScore()
