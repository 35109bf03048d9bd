import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor
from pytestqt.qtbot import QtBot

from app.diagnostics.kernels.inspection import Inspection
from app.diagnostics.kernels.kernel_list import ERROR, MODULE, TIME, TITLE, KernelList
from app.theme import DARK, Appearance, Theme
from engine.validator.inspection.results import GraphEvent, KernelEvent, KernelVerdict
from tests.app.inspection_fakes import GRAPH, STAGE, inspected, measurement

IN_ORDER = ("in", "a1", "a2", "a3", "m", "b1", "b2", "out")


def shown(qtbot: QtBot, inspection: Inspection) -> tuple[KernelList, list[str]]:
    kernels, chosen = KernelList(), []
    qtbot.addWidget(kernels)
    kernels.node_chosen.connect(chosen.append)
    kernels.show_stage(inspection.stage(STAGE))
    return kernels, chosen


def cell(kernels: KernelList, row: int, column: int, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    return kernels.model().index(row, column).data(role)


def test_nodes_are_listed_in_the_order_of_the_calls(qtbot: QtBot) -> None:
    kernels, _ = shown(qtbot, inspected())
    assert kernels.shown_nodes == IN_ORDER
    assert [cell(kernels, 5, column) for column in (TITLE, ERROR, TIME, MODULE)] == [
        "conv1d b1", "✗ 3.1e4", "250 µs", "predictor.N.0.conv1",
    ]  # fmt: skip
    assert [cell(kernels, 0, column) for column in (ERROR, TIME)] == ["", "–"]


def test_a_verdict_is_coloured_and_can_be_heard(qtbot: QtBot, theme: Theme) -> None:
    kernels, _ = shown(qtbot, inspected())
    kernels.ensurePolished()
    theme.choose(Appearance.DARK)
    assert cell(kernels, 5, ERROR, Qt.ItemDataRole.ForegroundRole) == QBrush(QColor(DARK.error))
    assert cell(kernels, 5, ERROR, Qt.ItemDataRole.AccessibleTextRole) == "Wrong, 3.1e4 × float32"
    assert cell(kernels, 5, TITLE, Qt.ItemDataRole.ToolTipRole) == "conv1d b1, predictor.N.0.conv1: ✗ 3.1e4 × float32"


def test_the_worst_come_first_if_wanted_and_equals_in_the_order_of_the_calls(qtbot: QtBot) -> None:
    kernels, _ = shown(qtbot, inspected())
    kernels.put_worst_first(True)
    assert kernels.shown_nodes == ("b1", "a3", "a1", "m", "b2", "a2", "in", "out")
    kernels.put_worst_first(False)
    assert kernels.shown_nodes == IN_ORDER


def test_a_measurement_that_comes_in_finds_its_place(qtbot: QtBot) -> None:
    inspection = inspected()
    kernels, _ = shown(qtbot, inspection)
    kernels.put_worst_first(True)
    inspection.take(KernelEvent(measurement("m", KernelVerdict.WRONG, 1e9)))
    kernels.refresh()
    assert kernels.shown_nodes[0] == "m"


def test_only_what_has_changed_is_drawn_again(qtbot: QtBot) -> None:
    inspection = inspected(finished=False)
    kernels, _ = shown(qtbot, inspection)
    rows: set[int] = set()
    kernels.model().dataChanged.connect(lambda first, last, roles: rows.add(first.row()))
    kernels.refresh()
    assert rows == set()
    inspection.take(KernelEvent(measurement("m", KernelVerdict.IMPRECISE)))
    kernels.refresh()
    assert rows == {4}


@pytest.mark.parametrize(
    ("words", "found"),
    [("predictor.n", ("b1", "b2")), ("LSTM", ("m",)), ("fused_add", ("a2",)), ("nowhere", ()), (" ", IN_ORDER)],
)
def test_search_looks_into_names_modules_and_kernels(qtbot: QtBot, words: str, found: tuple[str, ...]) -> None:
    kernels, _ = shown(qtbot, inspected())
    kernels.search(words)
    assert kernels.shown_nodes == found


def test_choosing_by_program_emits_nothing_and_by_hand_emits_the_node(qtbot: QtBot) -> None:
    kernels, chosen = shown(qtbot, inspected())
    kernels.choose("m")
    assert kernels.currentIndex().row() == 4
    assert chosen == []
    kernels.setCurrentIndex(kernels.model().index(5, TITLE))
    assert chosen == ["b1"]
    kernels.choose(None)
    assert not kernels.selectedIndexes()


def test_what_is_not_listed_cannot_be_chosen(qtbot: QtBot) -> None:
    kernels, chosen = shown(qtbot, inspected())
    kernels.choose("m")
    kernels.search("predictor.N")
    kernels.choose("a1")
    assert not kernels.selectedIndexes()
    assert "a1" not in chosen


def test_another_stage_replaces_the_list(qtbot: QtBot) -> None:
    kernels, chosen = shown(qtbot, inspected())
    kernels.choose("m")
    kernels.show_stage(None)
    assert kernels.shown_nodes == ()
    empty = Inspection()
    empty.take(GraphEvent(GRAPH))
    kernels.show_stage(empty.stage(STAGE))
    assert cell(kernels, 1, ERROR) == "–"
    assert chosen == []
