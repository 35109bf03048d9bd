"""A comparison of LSTMs with students as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.benchmark.estimate.roofline import CHIPS
from engine.speech import Prosody
from engine.training.distillation.comparison import MEASURED, BuiltStage, ProsodyComparison, StageTime

KILOBYTE = 1e3
_PLACE = max(len(chip.name) for chip in CHIPS)
"""The width of the column with the chips."""


def comparison_text(comparison: ProsodyComparison) -> str:
    """Two tables: building and sizes, then times by length, LSTMs before students."""
    return "\n".join([*_building(comparison.built), "", *_times(comparison.times)])


def _building(built: Sequence[BuiltStage]) -> Iterator[str]:
    yield "target       stage         prosody      compile s  operations  kernels  library kB"
    for one in built:
        yield (
            f"{one.target:<12} {one.stage:<13} {one.prosody:<12} {one.seconds:9.1f}  {one.operations:10}  "
            f"{one.kernels:7}  {one.library_bytes / KILOBYTE:10.0f}"
        )


def _times(times: Sequence[StageTime]) -> Iterator[str]:
    yield f"{'where':<{_PLACE}} stage         tokens  lstm ms           transformer ms    times as fast"
    theirs = {(one.place, one.stage, one.tokens): one for one in times if one.prosody is Prosody.TRANSFORMER}
    for ours in times:
        if ours.prosody is Prosody.LSTM:
            student = theirs[ours.place, ours.stage, ours.tokens]
            gain = (ours.least_ms + ours.most_ms) / (student.least_ms + student.most_ms)
            where = f"{ours.place:<{_PLACE}} {ours.stage:<13} {ours.tokens:6}"
            yield f"{where}  {_band(ours):<16}  {_band(student):<16}  {gain:.2f}"
    yield f"“{MEASURED}” was measured here; everything else is estimated from the modules for Metal."


def _band(one: StageTime) -> str:
    return f"{one.least_ms:.2f}" if one.least_ms == one.most_ms else f"{one.least_ms:.2f} - {one.most_ms:.2f}"
