from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.experiments.crossing_editor import CrossingEditor
from app.diagnostics.experiments.matrix_page import LEGEND, START, MatrixPage
from app.diagnostics.runs.run import Shown
from app.theme import DARK
from engine.stages import STAGE_NAMES, STAGES
from engine.validator.data.results import STUDENT_REGIMES, Reading, Regime, RowEvent
from tests.app.diagnostics_fakes import finished_run, row

REGIMES = (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)
SHOWN = Shown(Regime.COMPILED, Reading.OWN_FED)


@pytest.fixture
def page(qtbot: QtBot) -> MatrixPage:
    made = MatrixPage()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def test_it_shows_the_run_and_marks_the_chosen_cell(page: MatrixPage) -> None:
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


def test_a_chosen_cell_is_shown_by_the_panel(page: MatrixPage, qtbot: QtBot) -> None:
    page.show_stage(finished_run(REGIMES), SHOWN, "bert")
    with qtbot.waitSignal(page.part_wanted) as caught:
        page.table.cellClicked.emit(2, 1)
    assert caught.args == [replace(SHOWN, regime=Regime.STATIC_NO_PACK), STAGE_NAMES[2]]


def test_the_keyboard_chooses_a_cell(page: MatrixPage, qtbot: QtBot) -> None:
    page.show_stage(finished_run(REGIMES), SHOWN, "bert")
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    qtbot.keyClick(page.table, Qt.Key.Key_Left)
    with qtbot.waitSignal(page.part_wanted) as caught:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert caught.args == [replace(SHOWN, regime=Regime.STATIC_NO_PACK), STAGE_NAMES[1]]


def test_cells_that_have_not_changed_are_left_alone(page: MatrixPage) -> None:
    run = finished_run(REGIMES)
    page.show_stage(run, SHOWN, "bert")
    kept = page.table.item(3, 1)
    page.show_stage(run, SHOWN, "duration")
    assert page.table.item(3, 1) is kept


def test_a_regime_that_begins_to_report_gets_its_column(page: MatrixPage) -> None:
    run = finished_run(REGIMES)
    page.show_stage(run, SHOWN, "bert")
    run.state = type(run.state).RUNNING
    run.take(RowEvent(replace(row(STAGES[0], "text_features", Regime.COMPILED), regime="compiled+decoder=dynamic")))
    page.show_stage(run, replace(SHOWN, reading=Reading.REFERENCE_FED), "bert")
    assert page.table.columnCount() == 4
    assert page.table.horizontalHeaderItem(3).text() == "Mixed"
    assert page.table.item(0, 3).text()
    assert page.table.item(1, 3).text() == ""


def test_what_is_crossed_goes_with_the_next_comparison(page: MatrixPage, qtbot: QtBot) -> None:
    page.crossing.click()
    assert page.editor.isVisible()
    box = page.editor.boxes["decoder"]
    box.choose(Regime.DYNAMIC)
    box.chosen.emit(Regime.DYNAMIC)
    assert "Decoder from PyTorch" in page.words.accessibleDescription()
    with qtbot.waitSignal(page.compare_wanted) as caught:
        page.compare.click()
    assert caught.args == [(("decoder", Regime.DYNAMIC),)]


def test_every_stage_of_a_device_can_come_from_every_regime(qtbot: QtBot) -> None:
    editor = CrossingEditor()
    qtbot.addWidget(editor)
    assert set(editor.boxes) == set(STAGE_NAMES) - {"alignment"}
    assert all(set(box.values) == set(Regime) - set(STUDENT_REGIMES) for box in editor.boxes.values())
    editor.offer_students(True)
    assert all(set(box.values) == set(Regime) for box in editor.boxes.values())
    assert editor.cross == ()


def test_colours_follow_the_theme(page: MatrixPage) -> None:
    page.show_stage(finished_run(REGIMES), SHOWN, "bert")
    page.set_colours(DARK)
    assert page.table.item(0, 2).background().color().name() == DARK.good
