"""What a report concludes from its rows."""

from dataclasses import replace

import pytest

from engine.speech import SpeechRequest
from engine.validator.data.results import (
    REGIME_MEANINGS,
    STUDENT_REGIMES,
    Reading,
    Regime,
    Report,
    Row,
    ValidationRequest,
    Verdict,
)
from tests.starter_voices import MALE

REQUEST = ValidationRequest(SpeechRequest("Hello.", MALE))


def report(verdict: Verdict, regime: str) -> Report:
    row = Row(0, "bert", "text_features", regime, Regime.DYNAMIC, Reading.REFERENCE_FED, verdict, 0.99999)
    return Report(REQUEST, (), (row,), (), {})


def test_every_regime_has_a_meaning() -> None:
    assert set(REGIME_MEANINGS) == set(Regime)


@pytest.mark.parametrize(
    ("regime", "expected"), [("compiled", True), ("compiled with f0n from dynamic", True), ("upstream", False)]
)
def test_only_compiled_regimes_decide(regime: str, expected: bool) -> None:
    (row,) = report(Verdict.PASS, regime).rows
    assert row.decides is expected


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.INHERITED, Verdict.INCOMPARABLE])
def test_a_report_passes_unless_a_stage_is_itself_wrong(verdict: Verdict) -> None:
    assert report(verdict, Regime.COMPILED).passed


def test_a_failed_compiled_stage_fails_the_report() -> None:
    assert not report(Verdict.FAIL, Regime.COMPILED).passed


def test_a_crossed_regime_counts_as_compiled() -> None:
    assert not report(Verdict.FAIL, "compiled with decoder from dynamic").passed


def test_a_regime_that_is_meant_to_fail_does_not_fail_the_report() -> None:
    assert report(Verdict.FAIL, Regime.STATIC_NO_PACK).passed


def test_the_truth_is_the_reference_by_default() -> None:
    assert REQUEST.reference is Regime.DYNAMIC
    assert set(Regime) - set(REQUEST.regimes) == {Regime.COMPILED_PADDED, *STUDENT_REGIMES}


def test_students_can_fail_the_report_only_against_the_same_students() -> None:
    row = report(Verdict.FAIL, Regime.DISTILLED).rows[0]
    assert row.of_teacher
    assert report(Verdict.FAIL, Regime.DISTILLED).passed
    in_torch = replace(row, reference=Regime.STATIC_DISTILLED)
    assert not in_torch.of_teacher
    assert not replace(report(Verdict.FAIL, Regime.DISTILLED), rows=(in_torch,)).passed
