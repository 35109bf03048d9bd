"""The panel, the page and the terminal write every number of a row alike."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.metric_words import figures_of
from app.diagnostics.stages.stage_rows import Column, StageEntry, words_of
from engine.stages import stage_named
from engine.validator.data.results import Metrics, Reading, Row
from engine.validator.data.wording import NOTHING
from engine.validator.reports.html_report import FIGURE_NAMES, figures
from engine.validator.reports.text_report import text_report
from tests.engine.validator.reports.example_report import example_report

REPORT = example_report(1)
ISOLATED = [row for row in REPORT.rows if row.regime == "compiled" and row.reading is Reading.REFERENCE_FED]
IN_BOTH = {
    "correlation": "Correlation",
    "cosine": "Cosine",
    "SQNR": "SQNR",
    "max error": "Max error",
    "relative L2": "Relative L2",
    "over the floor": "Over float32",
    "over golden": "Over the golden run",
    "finite": "Finite",
    "energy in padding": "Energy in padding",
}
"""Names of the page, and those of the panel."""
sizes = st.floats(0, 1e6)
rates = st.one_of(st.none(), st.floats(0, 1e9))
correlations = st.floats(-1, 1)
measures = st.builds(Metrics, correlations, correlations, st.floats(-20, 200), sizes, sizes, st.just(100.0), sizes)


def rated(row: Row) -> Row:
    return replace(row, times_floor=1.234e-6, times_golden=31.4)


@given(measures, rates, rates, st.floats(0, 100))
def test_every_figure_of_the_panel_is_the_pages(
    measured: Metrics, floor: float | None, golden: float | None, seconds: float
) -> None:
    times = {"times_floor": floor, "times_golden": golden, "seconds": seconds, "reference_seconds": seconds}
    row = replace(REPORT.rows[0], metrics=measured, **times)
    page, panel = dict(zip(FIGURE_NAMES, figures(row), strict=False)), dict(figures_of(row))
    assert {name: page[name] for name in IN_BOTH} == {name: panel.get(ours, NOTHING) for name, ours in IN_BOTH.items()}
    assert (f"{page['ms']} ms", f"{page['ms, reference']} ms") == (panel["Time"], panel["Reference time"])


@pytest.mark.parametrize("row", ISOLATED, ids=lambda row: row.output)
def test_every_cell_of_the_list_is_that_of_the_terminal(row: Row) -> None:
    row = rated(row)
    text = text_report(replace(REPORT, rows=(row,)))
    line = next(line for line in text.splitlines() if line.startswith(f"{row.stage} "))
    entry = StageEntry(stage_named(row.stage), 0, row)
    for column in (Column.CORRELATION, Column.MAX_ERROR, Column.TIMES_FLOOR):
        assert f" {words_of(entry, column)} " in f" {line} "
    assert f" {row.verdict} " in f" {line} "
