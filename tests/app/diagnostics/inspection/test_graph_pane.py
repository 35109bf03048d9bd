from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection import folding
from app.diagnostics.inspection.folding import Box
from app.diagnostics.inspection.graph_pane import NOTHING_TO_DRAW, GraphPane
from app.diagnostics.inspection.inspection import Inspection, StageInspection
from app.diagnostics.inspection.layout import Drawing, Layout
from app.diagnostics.inspection.layout_process import NO_LAYOUT
from app.theme import DARK
from engine.inspection.results import KernelEvent, KernelVerdict
from tests.app.inspection_fakes import INPUT, OUTPUT, STAGE, graph_of, inspected, kernel, measurement
from tests.patience import PATIENCE_MS

OTHER = StageInspection(graph_of((INPUT, kernel("c"), OUTPUT), (("in", "c"), ("c", "out")), "decoder"))


class Shown:
    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.pane = GraphPane()
        qtbot.addWidget(self.pane)
        self.pane.resize(500, 400)
        self.pane.show()

    def draw(self, inspection: Inspection) -> None:
        with self.qtbot.waitSignal(self.pane.view.drawn):
            self.pane.show_stage(inspection.stage(STAGE))

    def after(self, action) -> list[str]:
        with self.qtbot.waitSignal(self.pane.view.drawn):
            action()
        return self.titles

    @property
    def titles(self) -> list[str]:
        graph = self.pane.view.graph
        return [box.module_path or box.nodes[0] for box in graph.folded.boxes] if graph is not None else []


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Shown]:
    shown = Shown(qtbot)
    yield shown
    shown.pane.shut_down(PATIENCE_MS)


def test_a_small_graph_is_drawn_unfolded(shown: Shown) -> None:
    assert shown.pane.words.text() == NOTHING_TO_DRAW
    shown.draw(inspected())
    assert shown.titles == ["in", "a1", "a2", "a3", "m", "b1", "b2", "out"]
    assert shown.pane.view.isVisible()


def test_folding_and_unfolding(shown: Shown) -> None:
    shown.draw(inspected())
    assert shown.after(shown.pane.fold_all.click) == ["in", "predictor", "out"]
    fold = shown.pane.view.fold_wanted.emit
    assert shown.after(lambda: fold(Box(("a1",), "predictor"))) == [
        "in", "predictor.F0.0", "m", "predictor.N.0", "out",
    ]  # fmt: skip
    assert shown.after(lambda: shown.pane.reveal("b1")) == ["in", "predictor.F0.0", "m", "b1", "b2", "out"]
    assert shown.after(lambda: fold(Box(("b2",)))) == ["in", "predictor.F0.0", "m", "predictor.N.0", "out"]
    assert len(shown.after(shown.pane.unfold_all.click)) == 8


def test_what_was_chosen_stays_chosen_when_it_is_folded(shown: Shown) -> None:
    shown.draw(inspected())
    shown.pane.choose("b2")
    shown.after(shown.pane.fold_all.click)
    assert shown.pane.view.box is not None
    assert shown.pane.view.box.module_path == "predictor"


def test_a_large_graph_shows_the_kernel_that_turns_out_to_be_wrong(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "MOST_BOXES", 5)
    inspection = inspected(measurement("a1"), finished=False)
    shown.draw(inspection)
    assert shown.titles == ["in", "predictor.F0.0", "m", "predictor.N.0", "out"]
    inspection.take(KernelEvent(measurement("b1", KernelVerdict.WRONG, 99.0)))
    assert shown.after(shown.pane.refresh) == ["in", "predictor.F0.0", "m", "b1", "b2", "out"]


def test_a_layout_that_fails_is_said_in_place_of_the_graph(shown: Shown) -> None:
    shown.pane.show_stage(inspected().stage(STAGE))
    shown.pane.layouts.failed.emit(NO_LAYOUT)
    assert shown.pane.words.text() == NO_LAYOUT
    assert shown.pane.words.isVisible()


def test_a_layout_that_fails_when_no_stage_is_chosen_any_more_is_not_said(shown: Shown) -> None:
    shown.pane.show_stage(inspected().stage(STAGE))
    shown.pane.show_stage(None)
    shown.pane.layouts.failed.emit(NO_LAYOUT)
    assert shown.pane.words.text() == NOTHING_TO_DRAW


def test_a_layout_of_the_stage_before_is_not_drawn(shown: Shown) -> None:
    laid_out: list[tuple[Drawing, Layout]] = []
    shown.pane.layouts.laid_out.connect(lambda *each: laid_out.append(each))
    shown.draw(inspected())
    shown.pane.show_stage(OTHER)
    with shown.qtbot.assertNotEmitted(shown.pane.view.drawn):
        shown.pane.layouts.laid_out.emit(*laid_out[0])
    shown.qtbot.waitUntil(lambda: shown.titles == ["in", "c", "out"])


def test_a_graph_that_is_half_drawn_is_given_up_for_that_of_another_stage(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose_another(drawing: Drawing, layout: Layout) -> None:
        shown.pane.layouts.laid_out.disconnect(choose_another)
        shown.pane.show_stage(OTHER)

    monkeypatch.setattr("app.diagnostics.inspection.graph_view.TURN_SECONDS", -1)
    drawn: list[list[str]] = []
    shown.pane.view.drawn.connect(lambda: drawn.append(shown.titles))
    shown.pane.layouts.laid_out.connect(choose_another)
    shown.pane.show_stage(inspected().stage(STAGE))
    shown.qtbot.waitUntil(lambda: shown.titles == ["in", "c", "out"])
    assert drawn == [["in", "c", "out"]]


def test_no_stage_no_graph(shown: Shown) -> None:
    shown.draw(inspected())
    shown.pane.show_stage(None)
    assert shown.pane.words.text() == NOTHING_TO_DRAW
    assert shown.titles == []
    shown.pane.refresh()
    shown.pane.set_colours(DARK)


def test_buttons_zoom(shown: Shown) -> None:
    shown.draw(inspected())
    start = shown.pane.view.zoom
    shown.pane.zoom_in.click()
    assert shown.pane.view.zoom > start
    shown.pane.zoom_out.click()
    assert shown.pane.view.zoom == pytest.approx(start)


def test_the_worst_is_asked_for(shown: Shown) -> None:
    with shown.qtbot.waitSignal(shown.pane.worst_wanted):
        shown.pane.worst.click()
