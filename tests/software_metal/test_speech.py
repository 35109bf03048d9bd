"""The bundled model speaks on the software device: every stage, and the waveform, against the truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.speech import SpeechRequest
from engine.validator.results import Reading, Regime, Report, Row, ValidationRequest
from engine.validator.validation import Validator
from tests.software_metal.loader import SoftwareMetal

REGIMES = (Regime.UPSTREAM, Regime.COMPILED)
LEAST_STAGE_CORRELATION = 0.9999
LEAST_WAVEFORM_CORRELATION = 0.99


@pytest.fixture(scope="module")
def report(software_metal: SoftwareMetal) -> Iterator[Report]:
    validator = Validator()
    before = software_metal.launches()
    request = ValidationRequest(SpeechRequest("Hello world.", "am_rowan"), regimes=REGIMES, device="metal")
    with software_metal.fast():
        yield validator.validate(request)
        assert software_metal.launches() > before
        validator.close()


def rows(report: Report, regime: Regime, reading: Reading) -> list[Row]:
    return [row for row in report.rows if row.regime == regime and row.reading is reading]


def waveform_correlation(report: Report, regime: Regime) -> float:
    (row,) = [row for row in rows(report, regime, Reading.OWN_FED) if row.output == "audio"]
    assert row.metrics is not None
    assert row.metrics.pearson is not None
    return row.metrics.pearson


def test_every_stage_fed_by_the_reference_is_the_reference(report: Report) -> None:
    compared = [row for row in rows(report, Regime.COMPILED, Reading.REFERENCE_FED) if row.durations is None]
    assert {row.stage for row in compared} >= {"bert", "duration", "f0n", "text_encoder", "source", "decoder", "istft"}
    for row in compared:
        assert row.metrics is not None
        assert row.metrics.pearson is not None
        assert row.metrics.pearson >= LEAST_STAGE_CORRELATION, (row.stage, row.output)


def test_durations_are_equal(report: Report) -> None:
    counted = [row.durations for row in report.rows if row.durations is not None and row.regime == Regime.COMPILED]
    assert counted
    assert [durations.differing_tokens for durations in counted] == [0] * len(counted)


def test_the_waveform_is_nearer_to_the_truth_than_upstream(report: Report) -> None:
    ours = waveform_correlation(report, Regime.COMPILED)
    assert ours >= LEAST_WAVEFORM_CORRELATION
    assert ours >= waveform_correlation(report, Regime.UPSTREAM)
