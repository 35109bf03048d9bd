"""The compiled model against the reference with edits of every kind: each stage passes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.models.checkpoints import FULL_SIZE, STARTER, open_checkpoint
from engine.speech import CurveEdit, PhonemeEdit, Respelling, SpeechRequest, UtteranceEdit
from engine.stages import STAGE_NAMES
from engine.validator.data.results import InputSource, Regime, ValidationRequest
from engine.validator.runs.validation import Validator, phonemizer
from tests.starter_voices import FEMALE, MALE
from tests.trained import needs_trained

TEXT = "The quick brown fox jumps over the lazy dog."
LEAST_CORRELATION = 0.99999
KINDS = [
    {"frames": 9},
    {"stretch": 1.7},
    {"pitch": CurveEdit(drawn=(150.0, 280.0, 190.0))},
    {"pitch": CurveEdit(scale=1.2, shift=-5.0)},
    {"energy": CurveEdit(scale=1.3, shift=0.2)},
]


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


@pytest.fixture(
    params=[
        (STARTER, FEMALE),
        (STARTER, MALE),
        pytest.param((FULL_SIZE, "af_heart"), marks=needs_trained),
    ],
    ids=lambda chosen: "-".join(chosen),
)
def plain(request: pytest.FixtureRequest) -> ValidationRequest:
    """A request without edits, in a voice of a model."""
    model, voice = request.param
    if model == FULL_SIZE:
        request.getfixturevalue("trained")
    return ValidationRequest(SpeechRequest(TEXT, voice), model, regimes=(Regime.COMPILED,))


def test_every_stage_passes_with_edits_of_every_kind(validator: Validator, plain: ValidationRequest) -> None:
    checkpoint = open_checkpoint(plain.model)
    (utterance,) = phonemizer(checkpoint, checkpoint.voices[plain.speech.voice]).plan(TEXT).utterances
    spelled = Respelling(utterance.words[-1].first_phoneme, utterance.words[-1].end_phoneme, "kˈæt")
    edits = UtteranceEdit(
        utterance.start,
        utterance.phonemes,
        (spelled,),
        tuple(PhonemeEdit(index, **KINDS[index % len(KINDS)]) for index in range(spelled.first_phoneme)),
        gain_db=-3.0,
        pause_seconds=0.5,
    )
    report = validator.validate(replace(plain, speech=replace(plain.speech, edits=(edits,))))
    assert report.passed
    assert [each.edit for each in report.utterances] == [edits]
    isolated = [row for row in report.rows if row.reading is InputSource.ISOLATED and not row.probe]
    assert {row.stage for row in isolated if row.regime == Regime.COMPILED} == set(STAGE_NAMES)
    measured = [row.metrics.pearson for row in isolated if row.metrics is not None]
    assert min(each for each in measured if each is not None) >= LEAST_CORRELATION
