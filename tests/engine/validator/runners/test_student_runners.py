"""Tests of validating a model's students: against their teacher, and against the same students in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from engine.speech import SpeechRequest
from engine.stages import stage_named
from engine.validator.data.results import InputSource, Regime, Report, ValidationRequest, Verdict
from engine.validator.experiments.fuzz import fuzz
from engine.validator.runners.regimes import STUDENT_TOLERANCE, student_tolerance
from engine.validator.runs.validation import Validator
from tests.engine.students import students_installed
from tests.starter_voices import MALE

STUDENT_STAGES = {"duration", "f0n", "text_encoder"}
UTTERANCES = 4
SEED_OF_FAST_SPEECH = 277
"""A seed that makes the longest random utterance fast."""


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    with students_installed(), closing(Validator()) as made:
        yield made


def asked(*regimes: Regime, reference: Regime = Regime.DYNAMIC, probes: bool = False) -> ValidationRequest:
    speech = SpeechRequest("Hello there.", MALE)
    return ValidationRequest(speech, regimes=regimes, reference=reference, padding=1.0, probes=probes)


@pytest.fixture(scope="module")
def of_teacher(validator: Validator) -> Report:
    return validator.validate(asked(Regime.COMPILED, Regime.DISTILLED))


def test_untaught_students_are_named_and_fail_nothing(of_teacher: Report) -> None:
    assert of_teacher.passed
    (finding,) = of_teacher.findings
    assert (finding.regime, finding.stage) == (Regime.DISTILLED, "duration")
    assert "student" in finding.words


def test_only_stages_with_students_are_themselves_wrong(of_teacher: Report) -> None:
    rows = [row for row in of_teacher.rows if row.reading is InputSource.ISOLATED and row.regime == Regime.DISTILLED]
    assert {"duration"} <= {row.stage for row in rows if row.verdict is Verdict.FAIL} <= STUDENT_STAGES
    assert all(row.verdict is not Verdict.WORSE for row in rows)


def test_compiled_students_equal_the_same_students_in_pytorch(validator: Validator) -> None:
    report = validator.validate(asked(Regime.DISTILLED, reference=Regime.STATIC_DISTILLED, probes=True))
    assert report.passed
    rows = [row for row in report.rows if row.reading is InputSource.ISOLATED]
    assert {row.verdict for row in rows} == {Verdict.PASS}
    assert all(row.decides and row.tolerance == stage_named(row.stage).tolerance for row in rows if not row.probe)


@pytest.mark.usefixtures("validator")
def test_random_utterances_of_all_lengths_are_within_tolerance() -> None:
    request = asked(Regime.DISTILLED, reference=Regime.STATIC_DISTILLED)
    request = replace(request, speech=replace(request.speech, seed=SEED_OF_FAST_SPEECH))
    assert fuzz(request, UTTERANCES).within_tolerance == UTTERANCES


def test_a_student_may_differ_by_more_than_rounding() -> None:
    assert student_tolerance(stage_named("duration")) == STUDENT_TOLERANCE
    assert student_tolerance(stage_named("alignment")) == STUDENT_TOLERANCE
