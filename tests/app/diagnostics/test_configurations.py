from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.configurations import (
    LEGEND,
    START,
    ConfigurationsPage,
    MatrixCell,
    MixingEditor,
    column_explanation,
    column_title,
    matrix_of,
)
from app.diagnostics.runs.run import Shown
from app.theme import Appearance, Theme, colors
from engine.stages import STAGE_NAMES, STAGES
from engine.validator.data.results import STUDENT_REGIMES, InputSource, Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import finished_run, row

REGIMES = (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)
UNSORTED = (Regime.COMPILED, Regime.STATIC_NO_PACK, Regime.UPSTREAM)
SHOWN = Shown(Regime.COMPILED, InputSource.END_TO_END)


@pytest.fixture
def page(qtbot: QtBot) -> ConfigurationsPage:
    made = ConfigurationsPage()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def test_it_shows_the_run_and_marks_the_chosen_cell(page: ConfigurationsPage) -> None:
    assert page.words.accessibleDescription() == START
    page.show_stage(finished_run(REGIMES), SHOWN, "decoder")
    table = page.table
    assert (table.rowCount(), table.columnCount()) == (len(STAGES), 3)
    assert (table.currentRow(), table.currentColumn()) == (STAGE_NAMES.index("decoder"), 2)
    for number, cells in enumerate(table.matrix.cells):
        for column, cell in enumerate(cells):
            assert table.item(number, column).text() == cell.words
            assert table.item(number, column).data(Qt.ItemDataRole.AccessibleTextRole) == cell.explanation
    assert page.words.accessibleDescription() == LEGEND


def test_a_chosen_cell_is_shown_by_the_panel(page: ConfigurationsPage, qtbot: QtBot) -> None:
    page.show_stage(finished_run(REGIMES), SHOWN, "bert")
    with qtbot.waitSignal(page.part_requested) as caught:
        page.table.cellClicked.emit(2, 1)
    assert caught.args == [replace(SHOWN, regime=Regime.STATIC_NO_PACK), STAGE_NAMES[2]]


def test_the_keyboard_chooses_a_cell(page: ConfigurationsPage, qtbot: QtBot) -> None:
    page.show_stage(finished_run(REGIMES), SHOWN, "bert")
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    qtbot.keyClick(page.table, Qt.Key.Key_Left)
    with qtbot.waitSignal(page.part_requested) as caught:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert caught.args == [replace(SHOWN, regime=Regime.STATIC_NO_PACK), STAGE_NAMES[1]]


def test_cells_that_have_not_changed_are_left_alone(page: ConfigurationsPage) -> None:
    run = finished_run(REGIMES)
    page.show_stage(run, SHOWN, "bert")
    kept = page.table.item(3, 1)
    page.show_stage(run, SHOWN, "duration")
    assert page.table.item(3, 1) is kept


def test_a_regime_that_begins_to_report_gets_its_column(page: ConfigurationsPage) -> None:
    run = finished_run(REGIMES)
    page.show_stage(run, SHOWN, "bert")
    run.state = type(run.state).RUNNING
    run.handle_event(
        RowEvent(replace(row(STAGES[0], "text_features", Regime.COMPILED), regime="compiled+decoder=dynamic"))
    )
    page.show_stage(run, replace(SHOWN, reading=InputSource.ISOLATED), "bert")
    assert page.table.columnCount() == 4
    assert page.table.horizontalHeaderItem(3).text() == "Mixed"
    assert page.table.item(0, 3).text()
    assert page.table.item(1, 3).text() == ""


def test_a_mixed_configuration_applies_to_the_next_comparison(page: ConfigurationsPage, qtbot: QtBot) -> None:
    page.mix.click()
    assert page.editor.isVisible()
    box = page.editor.boxes["decoder"]
    box.choose(Regime.DYNAMIC)
    box.chosen.emit(Regime.DYNAMIC)
    assert "Decoder from PyTorch" in page.words.accessibleDescription()
    with qtbot.waitSignal(page.compare_requested) as caught:
        page.compare.click()
    assert caught.args == [(("decoder", Regime.DYNAMIC),)]


def test_every_stage_of_a_device_can_come_from_every_regime(qtbot: QtBot) -> None:
    editor = MixingEditor()
    qtbot.addWidget(editor)
    assert set(editor.boxes) == set(STAGE_NAMES) - {"alignment"}
    assert all(set(box.values) == set(Regime) - set(STUDENT_REGIMES) for box in editor.boxes.values())
    editor.offer_students(True)
    assert all(set(box.values) == set(Regime) for box in editor.boxes.values())
    assert editor.mixed_stages == ()


def test_there_is_a_cell_for_every_stage_in_every_regime() -> None:
    run = finished_run(UNSORTED)
    matrix = matrix_of(run, Shown(Regime.COMPILED))
    assert matrix.regimes == (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)
    assert [[cell.stage for cell in cells] for cells in matrix.cells] == [[stage] * 3 for stage in STAGES]
    for shown in (Shown(Regime.COMPILED), Shown(Regime.COMPILED, InputSource.END_TO_END, 1)):
        for cell in (cell for cells in matrix_of(run, shown).cells for cell in cells):
            assert cell.row is run.stage_summary(replace(shown, regime=cell.regime), cell.stage.name)


def cell(verdict: Verdict, error: float = 0.5) -> MatrixCell:
    made = row(STAGES[0], "text_features", Regime.COMPILED, error=error)
    return MatrixCell(STAGES[0], Regime.COMPILED, replace(made, verdict=verdict))


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_red_begins_where_a_tolerance_is_left_and_is_pale_after_that(theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    shades = {verdict: cell(verdict).color() for verdict in Verdict}
    assert shades[Verdict.PASS].name() == colors().good  # type: ignore[union-attr]
    for verdict in (Verdict.FAIL, Verdict.INHERITED, Verdict.INCOMPARABLE):
        assert shades[verdict].name() == colors().error  # type: ignore[union-attr]
    assert shades[Verdict.INHERITED].alpha() < shades[Verdict.FAIL].alpha()  # type: ignore[union-attr]
    assert MatrixCell(STAGES[0], Regime.COMPILED, None).color() is None


def test_a_mixed_regime_is_last_and_explained() -> None:
    name = "compiled+decoder=dynamic+f0n=static-no-pack"
    assert column_title(name) == "Mixed"
    words = column_explanation(name)
    assert words == "Compiled, with Decoder from PyTorch, Pitch and energy from Padded, not packed"
    assert column_title(Regime.COMPILED) == "Compiled"
    assert (
        column_explanation("compiled+decoder:conv1d_3=plain-loops")
        == "Compiled, with decoder:conv1d_3 from plain loops"
    )
    assert "as the app uses them" in column_explanation(Regime.COMPILED)


def test_red_that_is_expected_says_so() -> None:
    for regime in (Regime.UPSTREAM, Regime.STATIC_NO_PACK):
        assert "expected" in column_title(regime)
        made = row(STAGES[0], "text_features", regime, error=0.5)
        wrong = MatrixCell(STAGES[0], regime, replace(made, verdict=Verdict.FAIL))
        assert "expected" in wrong.explanation
        assert "expected" not in replace(wrong, row=replace(made, verdict=Verdict.PASS)).explanation
    assert "expected" not in cell(Verdict.FAIL).explanation
