"""Validation with trained weights: random utterances are within tolerance, and the original fault is audible."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.models.checkpoints import FULL_SIZE, Checkpoint
from engine.speech import SpeechRequest
from engine.validator.data.results import InputSource, Regime, Report, Row, ValidationRequest, Verdict
from engine.validator.experiments.fuzz import fuzz
from engine.validator.runs.validation import Validator
from tests.trained import needs_trained

pytestmark = [needs_trained, pytest.mark.usefixtures("trained")]

VOICE = "af_heart"
SEED_OF_FAST_SPEECH = 277
"""A seed that makes the longest utterance fast, which saves most of a minute."""
BROKEN = 0.5


@pytest.mark.parametrize(
    ("count", "seed"),
    [(3, SEED_OF_FAST_SPEECH), *(pytest.param(20, seed, marks=pytest.mark.long) for seed in range(10))],
)
def test_random_utterances_are_within_tolerance(count: int, seed: int) -> None:
    request = ValidationRequest(SpeechRequest("", VOICE, seed=seed), model=FULL_SIZE, regimes=(Regime.COMPILED,))
    found = fuzz(request, count)
    assert (found.utterances, found.within_tolerance, found.failed) == (count, count, ())


@pytest.fixture(scope="module")
def report(trained: Checkpoint) -> Iterator[Report]:
    validator = Validator()
    regimes = (Regime.STATIC_PACKED, Regime.STATIC_NO_PACK)
    yield validator.validate(
        ValidationRequest(SpeechRequest("The old clock stopped.", VOICE), model=trained.name, regimes=regimes)
    )
    validator.close()


def spoken(report: Report, regime: Regime) -> Row:
    """Return a regime's end-to-end waveform."""
    (row,) = [
        row for row in report.rows if (row.regime, row.reading, row.output) == (regime, InputSource.END_TO_END, "audio")
    ]
    return row


def test_padding_is_not_heard_when_lstms_are_packed(report: Report) -> None:
    rows = [row for row in report.rows if row.regime == Regime.STATIC_PACKED and row.reading is InputSource.ISOLATED]
    assert {row.verdict for row in rows} == {Verdict.PASS}
    heard = spoken(report, Regime.STATIC_PACKED)
    assert heard.verdict is Verdict.PASS
    assert heard.metrics.pearson is not None
    assert heard.metrics.pearson > 0.9999


def test_padding_breaks_speech_when_lstms_are_not_packed(report: Report) -> None:
    heard = spoken(report, Regime.STATIC_NO_PACK)
    assert heard.verdict is Verdict.INCOMPARABLE  # the durations are also wrong
    assert heard.audio.best_lag_correlation < BROKEN
    assert [(finding.regime, finding.stage) for finding in report.findings] == [(Regime.STATIC_NO_PACK, "duration")]
