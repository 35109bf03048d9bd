from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.folding import fold, modules_of
from app.diagnostics.inspection.graph_scene import AT_ONCE, GraphScene
from app.diagnostics.inspection.graph_view import GraphView
from app.diagnostics.inspection.layout import lay_out
from app.theme import LIGHT
from tests.app.inspection_fakes import GRAPH, STAGE, inspected


def scene_of(qtbot: QtBot) -> GraphScene:
    known, view = inspected().stage(STAGE), GraphView()
    assert known is not None
    modules = modules_of(GRAPH)
    folded = fold(GRAPH, modules, modules.members)
    drawing = view.drawing_of(folded, known)
    return GraphScene(folded, drawing, lay_out(drawing), known, QFont())


def test_building_stops_when_its_time_is_over_and_goes_on(qtbot: QtBot) -> None:
    scene = scene_of(qtbot)
    assert not scene.build(LIGHT, seconds=-1)
    assert len(scene.boxes) == AT_ONCE
    assert scene.build(LIGHT, seconds=60)
    assert len(scene.boxes) == len(GRAPH.nodes)
    assert all(item.look is not None for item in scene.boxes)


def test_a_mark_is_around_the_box_and_goes_away(qtbot: QtBot) -> None:
    scene = scene_of(qtbot)
    scene.build(LIGHT, seconds=60)
    assert scene.mark(2).contains(scene.boxes[2].area)
    assert scene.mark(None).isEmpty()


def test_everything_is_inside_the_scene(qtbot: QtBot) -> None:
    scene = scene_of(qtbot)
    scene.build(LIGHT, seconds=60)
    assert all(scene.sceneRect().contains(item.sceneBoundingRect()) for item in scene.boxes)
