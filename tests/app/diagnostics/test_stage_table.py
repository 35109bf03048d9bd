import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.run import Shown
from app.diagnostics.stage_columns import Column
from app.diagnostics.stage_table import GIVE_WAY, StageTable
from app.diagnostics.stage_table_model import StageTableModel
from engine.stages import STAGE_NAMES
from engine.validator.results import Regime
from tests.app.diagnostics_fakes import finished_run


@pytest.fixture
def table(qtbot: QtBot) -> StageTable:
    model = StageTableModel()
    table = StageTable(model)
    model.setParent(table)
    model.show(finished_run(), Shown(Regime.COMPILED))
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    qtbot.waitExposed(table)
    return table


def test_selecting_tells_once(table: StageTable, qtbot: QtBot) -> None:
    assert table.stage is None
    with qtbot.waitSignal(table.stage_selected) as selected:
        table.select("decoder")
    assert selected.args == ["decoder"]
    assert table.stage == "decoder"
    with qtbot.assertNotEmitted(table.stage_selected):
        table.select("decoder")


def test_arrows_choose_and_return_looks_into(table: StageTable, qtbot: QtBot) -> None:
    table.select("bert")
    with qtbot.waitSignal(table.stage_selected) as selected:
        qtbot.keyClick(table, Qt.Key.Key_Down)
    assert selected.args == ["duration"]
    with qtbot.waitSignal(table.stage_activated) as activated:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert activated.args == ["duration"]


def test_a_click_looks_into(table: StageTable, qtbot: QtBot) -> None:
    place = table.visualRect(table.proxy.index_of("f0n")).center()
    with qtbot.waitSignals([table.stage_selected, table.stage_activated]):
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert table.stage == "f0n"


def test_the_worst_first_and_back(table: StageTable) -> None:
    table.select("istft")
    table.put_worst_first(True)
    assert table.proxy.index_of("istft").row() == 0
    assert table.stage == "istft"
    table.put_worst_first(False)
    assert table.proxy.index_of("istft").row() == len(STAGE_NAMES) - 1


def test_columns_give_way_one_after_the_other(table: StageTable, qtbot: QtBot) -> None:
    hidden = []
    for width in range(900, 200, -10):
        table.resize(width, 300)
        now = tuple(column for column in Column if table.isColumnHidden(column) and column is not Column.CHANGE)
        if not hidden or hidden[-1] != now:
            hidden.append(now)
    assert [set(now) for now in hidden] == [set(GIVE_WAY[:count]) for count in range(len(GIVE_WAY) + 1)]


def test_no_cell_is_cut_short(table: StageTable) -> None:
    for column in Column:
        for stage in STAGE_NAMES:
            index = table.proxy.index_of(stage).siblingAtColumn(column)
            needed = table.fontMetrics().horizontalAdvance(str(index.data()))
            assert table.columnWidth(column) >= needed or table.isColumnHidden(column)


def test_changes_are_shown_when_there_are_any(table: StageTable) -> None:
    assert table.isColumnHidden(Column.CHANGE)
    table.compare_with_earlier(True)
    assert not table.isColumnHidden(Column.CHANGE)
