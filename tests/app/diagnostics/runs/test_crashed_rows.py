from app.diagnostics.runs.crashed_rows import crashed_row
from engine.stages import STAGES
from engine.validator.data.results import Reading, Verdict
from engine.validator.data.verdicts import worst


def test_a_stage_that_was_never_reported_is_worse_than_any_that_was() -> None:
    rows = [crashed_row(1, "compiled", "dynamic", Reading.OWN_FED, stage.name) for stage in STAGES]
    assert [row.output for row in rows] == [stage.outputs[0].name for stage in STAGES]
    assert {(row.verdict, row.metrics, row.utterance) for row in rows} == {(Verdict.CRASHED, None, 1)}
    assert worst(rows) is rows[0]
