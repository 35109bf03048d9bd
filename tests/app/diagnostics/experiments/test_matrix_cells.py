from dataclasses import replace

import pytest

from app.diagnostics.experiments.matrix_cells import MatrixCell, column_explanation, column_title, matrix_of
from app.diagnostics.runs.run import Shown
from app.theme import DARK, LIGHT
from engine.stages import STAGES
from engine.validator.data.results import Reading, Regime, Verdict
from tests.app.diagnostics_fakes import finished_run, metrics, row

REGIMES = (Regime.COMPILED, Regime.STATIC_NO_PACK, Regime.UPSTREAM)


def test_there_is_a_cell_for_every_stage_in_every_regime() -> None:
    run = finished_run(REGIMES)
    matrix = matrix_of(run, Shown(Regime.COMPILED))
    assert matrix.regimes == (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)
    assert [[cell.stage for cell in cells] for cells in matrix.cells] == [[stage] * 3 for stage in STAGES]
    for cells in matrix.cells:
        for cell in cells:
            assert cell.row is run.stage_summary(Shown(cell.regime), cell.stage.name)


def test_a_reading_and_an_utterance_are_heeded() -> None:
    run = finished_run(REGIMES)
    matrix = matrix_of(run, Shown(Regime.COMPILED, Reading.OWN_FED, 1))
    assert {cell.row.reading for cells in matrix.cells for cell in cells if cell.row} == {Reading.OWN_FED}
    assert {cell.row.utterance for cells in matrix.cells for cell in cells if cell.row} == {1}


def cell(verdict: Verdict, error: float = 0.5) -> MatrixCell:
    made = row(STAGES[0], "text_features", Regime.COMPILED, error=error)
    return MatrixCell(STAGES[0], Regime.COMPILED, replace(made, verdict=verdict))


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_red_begins_where_a_tolerance_is_left_and_is_pale_after_that(colours: object) -> None:
    shades = {verdict: cell(verdict).colour(colours) for verdict in Verdict}  # type: ignore[arg-type]
    assert shades[Verdict.PASS].name() == colours.good  # type: ignore[union-attr, attr-defined]
    for verdict in (Verdict.FAIL, Verdict.INHERITED, Verdict.INCOMPARABLE):
        assert shades[verdict].name() == colours.error  # type: ignore[union-attr, attr-defined]
    assert shades[Verdict.INHERITED].alpha() < shades[Verdict.FAIL].alpha()  # type: ignore[union-attr]
    assert MatrixCell(STAGES[0], Regime.COMPILED, None).colour(colours) is None  # type: ignore[arg-type]


def test_a_cell_has_a_mark_and_a_figure_and_says_what_it_means() -> None:
    assert cell(Verdict.FAIL).words == "✗ 0.8750"
    assert "Text features, Compiled: text_features, 0.8750. The stage itself is wrong" in cell(Verdict.FAIL).explanation
    assert MatrixCell(STAGES[0], Regime.COMPILED, None).words == ""
    lost = replace(cell(Verdict.INCOMPARABLE).row, metrics=None, by_phoneme=metrics(0.5))  # type: ignore[type-var]
    assert MatrixCell(STAGES[0], Regime.COMPILED, lost).words == "≠ 0.8750*"


def test_a_crossed_regime_is_last_and_explained() -> None:
    name = "compiled+decoder=dynamic+f0n=static-no-pack"
    assert column_title(name) == "Mixed"
    words = column_explanation(name)
    assert words == "Compiled, with Decoder from PyTorch, Pitch and energy from Padded, not packed"
    assert column_title(Regime.COMPILED) == "Compiled"
    assert (
        column_explanation("compiled+decoder:conv1d_3=plain-loops")
        == "Compiled, with decoder:conv1d_3 from plain-loops"
    )
    assert "as the application speaks" in column_explanation(Regime.COMPILED)


def test_red_that_is_expected_says_so() -> None:
    for regime in (Regime.UPSTREAM, Regime.STATIC_NO_PACK):
        assert "expected" in column_title(regime)
        made = row(STAGES[0], "text_features", regime, error=0.5)
        wrong = MatrixCell(STAGES[0], regime, replace(made, verdict=Verdict.FAIL))
        assert "expected" in wrong.explanation
        assert "expected" not in replace(wrong, row=replace(made, verdict=Verdict.PASS)).explanation
    assert "expected" not in cell(Verdict.FAIL).explanation
