"""The row of a stage that was not computed any more, because the comparison ended before."""

from __future__ import annotations

from engine.stages import stage_named
from engine.validator.results import Reading, Row, Verdict


def crashed_row(utterance: int, regime: str, reference: str, reading: Reading, stage: str) -> Row:
    """A row without any numbers."""
    declared = stage_named(stage)
    output = declared.outputs[0].name
    return Row(utterance, stage, output, regime, reference, reading, Verdict.CRASHED, declared.tolerance)
