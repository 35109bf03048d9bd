from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection import graph_view
from app.diagnostics.inspection.folding import Box, fold, modules_of
from app.diagnostics.inspection.graph_items import BoxItem
from app.diagnostics.inspection.graph_view import GraphView
from app.diagnostics.inspection.layout import lay_out
from app.theme import DARK
from engine.inspection.results import KernelEvent, KernelVerdict
from tests.app.inspection_fakes import GRAPH, STAGE, inspected, measurement

MODULES = modules_of(GRAPH)
UNFOLDED = {"predictor", "predictor.F0.0"}


class Shown:
    """A view of the made-up stage, with what it emits."""

    def __init__(self, qtbot: QtBot) -> None:
        self.inspection = inspected()
        self.known = self.inspection.stage(STAGE)
        assert self.known is not None
        self.view = GraphView()
        qtbot.addWidget(self.view)
        self.view.resize(500, 400)
        self.chosen: list[Box] = []
        self.folded: list[Box] = []
        self.view.box_chosen.connect(self.chosen.append)
        self.view.fold_wanted.connect(self.folded.append)

    def draw(self, qtbot: QtBot) -> None:
        assert self.known is not None
        folded = fold(GRAPH, MODULES, UNFOLDED)
        drawing = self.view.drawing_of(folded, self.known)
        with qtbot.waitSignal(self.view.drawn):
            self.view.show_graph(folded, drawing, lay_out(drawing), self.known)

    def item(self, node: str) -> BoxItem:
        assert self.view.graph is not None
        number = self.view.graph.folded.box_of(node)
        assert number is not None
        return self.view.graph.boxes[number]

    def press(self, key: Qt.Key) -> None:
        self.view.keyPressEvent(QKeyEvent(QKeyEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))

    def at(self, node: str) -> QPoint:
        return self.view.mapFromScene(self.item(node).area.center())


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Shown]:
    shown = Shown(qtbot)
    shown.draw(qtbot)
    yield shown
    shown.view.show_nothing()


def test_there_is_one_box_for_each_node_or_folded_module(shown: Shown) -> None:
    assert shown.view.graph is not None
    assert [item.look.lines[0] for item in shown.view.graph.boxes if item.look is not None] == [
        "prosody_features", "conv1d a1", "add a2", "conv1d a3", "lstm m", "▸ predictor.N.0", "f0",
    ]  # fmt: skip


def test_boxes_are_made_in_turns(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_view, "TURN_SECONDS", -1)
    shown = Shown(qtbot)
    assert shown.known is not None
    folded = fold(GRAPH, MODULES, MODULES.members)
    drawing = shown.view.drawing_of(folded, shown.known)
    shown.view.show_graph(folded, drawing, lay_out(drawing), shown.known)
    assert shown.view.graph is None
    qtbot.waitSignal(shown.view.drawn).wait()
    assert shown.view.graph is not None
    assert len(shown.view.graph.boxes) == len(GRAPH.nodes)


def test_choosing_a_node_marks_its_box_and_says_it_without_a_signal(shown: Shown) -> None:
    shown.view.choose("b2")
    assert shown.view.box == Box(("b1", "b2"), "predictor.N.0")
    assert shown.view.accessibleDescription() == "folded module predictor.N.0, 2 kernels · ✗ 3.1e4 × floor, wrong"
    assert shown.chosen == []
    shown.view.choose(None)
    assert shown.view.box is None
    assert shown.view.accessibleDescription() == ""


def test_arrow_keys_walk_along_the_edges(shown: Shown) -> None:
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        shown.press(key)
    assert [box.nodes[0] for box in shown.chosen[:2]] == ["in", "a1"] or shown.chosen[1].nodes[0] == "a2"
    assert len(shown.chosen) == 4
    shown.press(Qt.Key.Key_End)
    assert shown.chosen[-1].nodes == ("out",)
    count = len(shown.chosen)
    shown.press(Qt.Key.Key_Down)
    assert len(shown.chosen) == count


def test_page_keys_reach_every_box(shown: Shown) -> None:
    assert shown.view.graph is not None
    for _ in range(len(shown.view.graph.boxes) + 2):
        shown.press(Qt.Key.Key_PageDown)
    assert shown.chosen == list(shown.view.graph.folded.boxes)
    shown.press(Qt.Key.Key_PageUp)
    assert shown.chosen[-1] == shown.view.graph.folded.boxes[-2]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_return_asks_to_fold_or_unfold(shown: Shown, key: Qt.Key) -> None:
    shown.press(key)
    assert shown.folded == []
    shown.view.choose("b1")
    shown.press(key)
    assert shown.folded == [Box(("b1", "b2"), "predictor.N.0")]


def test_a_click_chooses_and_a_double_click_folds(shown: Shown) -> None:
    shown.view.fit()
    QTest.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=shown.at("m"))
    assert shown.chosen == [Box(("m",))]
    QTest.mouseDClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=shown.at("a1"))
    assert shown.folded == [Box(("a1",))]


def test_dragging_chooses_nothing(shown: Shown) -> None:
    start = shown.at("m")
    QTest.mousePress(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseRelease(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(40, 0))
    assert shown.chosen == []


def test_keys_and_wheel_zoom_within_bounds(shown: Shown) -> None:
    start = shown.view.zoom
    shown.press(Qt.Key.Key_Plus)
    assert shown.view.zoom == pytest.approx(start * graph_view.ZOOM_STEP)
    for _ in range(60):
        shown.press(Qt.Key.Key_Minus)
    assert shown.view.zoom == pytest.approx(graph_view.SMALLEST_ZOOM)
    shown.press(Qt.Key.Key_0)
    whole = shown.view.mapFromScene(shown.view.sceneRect()).boundingRect()
    assert shown.view.viewport().rect().adjusted(-2, -2, 2, 2).contains(whole)
    fitted = shown.view.zoom
    middle = QPoint(100, 100)
    shown.view.wheelEvent(
        QWheelEvent(
            middle,
            shown.view.mapToGlobal(middle),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
    )
    assert shown.view.zoom == pytest.approx(fitted * graph_view.ZOOM_STEP)


def test_a_graph_too_large_to_be_read_is_shown_around_the_chosen_box(shown: Shown) -> None:
    shown.view.show()
    shown.view.resize(120, 120)
    shown.view.choose("b1")
    shown.view.show_readably()
    assert shown.view.zoom == pytest.approx(graph_view.READABLE_ZOOM)
    assert shown.view.viewport().rect().contains(shown.at("b1"))


def test_new_measurements_change_their_boxes(shown: Shown) -> None:
    before = {node: shown.item(node).look for node in ("m", "a1")}
    shown.inspection.take(KernelEvent(measurement("m", KernelVerdict.WRONG, 9.0)))
    shown.view.show_states()
    assert shown.item("m").look != before["m"]
    assert shown.item("a1").look is before["a1"]


def test_the_theme_changes_every_box(shown: Shown) -> None:
    before = [item.look for item in shown.view.graph.boxes] if shown.view.graph is not None else []
    shown.view.set_colours(DARK)
    assert shown.view.graph is not None
    assert all(item.look != look for item, look in zip(shown.view.graph.boxes, before, strict=True))
    assert shown.view.backgroundBrush().color().name() == DARK.surface


def test_no_graph_takes_keys_and_colours(qtbot: QtBot) -> None:
    shown = Shown(qtbot)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_0, Qt.Key.Key_Home):
        shown.press(key)
    shown.view.set_colours(DARK)
    shown.view.fit()
    shown.view.choose("m")
    assert shown.view.box is None


def test_the_chosen_box_stays_in_sight_when_the_view_becomes_small(shown: Shown) -> None:
    shown.view.show()
    shown.view.choose(list(GRAPH.nodes)[-1].id)
    shown.view.zoom_by(3)
    shown.view.resize(160, 120)
    assert shown.view.box is not None
    chosen = shown.view.graph.boxes[shown.view.chosen].area.center()  # type: ignore[union-attr, index]
    assert shown.view.viewport().rect().contains(shown.view.mapFromScene(chosen))
