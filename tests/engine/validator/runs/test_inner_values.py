"""Inner values in PyTorch; those of compiled modules are the matter of the modules' tests."""

import pytest

from engine.speech import SpeechRequest
from engine.stages import STAGES
from engine.validator.data.results import Reading, Regime, RowEvent, ValidationRequest, Verdict
from engine.validator.runs.validation import Validator
from tests.starter_voices import MALE

PADDING = 3.0


@pytest.fixture(scope="module")
def report():
    """Upstream, and the regime whose LSTMs run over the padding."""
    events = []
    speech = SpeechRequest("Hello there.", MALE)
    regimes = (Regime.UPSTREAM, Regime.STATIC_NO_PACK)
    validator = Validator()
    made = validator.validate(ValidationRequest(speech, regimes=regimes, padding=PADDING, probes=True), events.append)
    validator.close()
    assert [event.row for event in events if isinstance(event, RowEvent)] == list(made.rows)
    return made


def test_outputs_come_before_inner_values(report):
    flags = [row.probe for row in report.rows]
    assert flags == sorted(flags)
    assert flags[0] is False
    assert flags[-1] is True


def test_inner_values_of_wrong_stages_come_first(report):
    wrong = {row.stage for row in report.rows if row.verdict is Verdict.FAIL and row.reading is Reading.REFERENCE_FED}
    stages = list(dict.fromkeys(row.stage for row in report.rows if row.probe))
    assert wrong & set(stages)
    assert [stage in wrong for stage in stages] == sorted((stage in wrong for stage in stages), reverse=True)


def test_every_inner_value_is_there_once_in_each_reading(report):
    keys = [(row.regime, row.reading, row.stage, row.output) for row in report.rows]
    assert len(set(keys)) == len(keys)
    probed = {row.stage for row in report.rows if row.probe}
    assert probed == {stage.name for stage in STAGES if stage.probes}


def test_the_finding_names_the_first_wrong_inner_value(report):
    finding = next(one for one in report.findings if one.regime == Regime.STATIC_NO_PACK)
    failed = [
        row.output
        for row in report.rows
        if row.probe
        and row.regime == finding.regime
        and row.stage == finding.stage
        and row.verdict is Verdict.FAIL
        and row.reading is Reading.REFERENCE_FED
    ]
    assert finding.inner == failed[0]
    assert f"Inside it, {finding.inner} is the first value that is wrong." in finding.words
