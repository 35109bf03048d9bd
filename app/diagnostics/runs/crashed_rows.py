"""The rows of stages that were never reported, because the process that computed them ended."""

from __future__ import annotations

from engine.stages import stage_named
from engine.validator.data.results import Reading, Row, Verdict


def crashed_row(utterance: int, regime: str, reference: str, reading: Reading, stage: str) -> Row:
    """A row without measures for the first output of a stage."""
    declared = stage_named(stage)
    output = declared.outputs[0].name
    return Row(utterance, stage, output, regime, reference, reading, Verdict.CRASHED, declared.tolerance)
