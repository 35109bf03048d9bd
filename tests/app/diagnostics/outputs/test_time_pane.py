import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.time_pane import STEPS_ACROSS, PaneStack, SecondsAxis, TimePane
from app.theme import DARK, Appearance, Theme


@pytest.fixture
def stack(qtbot: QtBot) -> PaneStack:
    stack = PaneStack([TimePane("Upper"), TimePane("Lower", shows_time=True)])
    qtbot.addWidget(stack)
    stack.resize(500, 200)
    stack.show()
    qtbot.waitExposed(stack)
    stack.show_length(2.0)
    return stack


def test_panes_stay_together(stack: PaneStack, qtbot: QtBot) -> None:
    upper, lower = stack.panes
    with qtbot.waitSignal(stack.range_chosen) as chosen:
        upper.view.setXRange(0.5, 1.0, padding=0)
    assert chosen.args == pytest.approx([0.5, 1.0])
    assert lower.view.viewRange()[0] == pytest.approx([0.5, 1.0])
    with qtbot.waitSignal(stack.range_chosen):
        lower.view.setXRange(0.2, 0.4, padding=0)
    assert upper.view.viewRange()[0] == pytest.approx([0.2, 0.4])
    assert stack.seconds_in_view == pytest.approx((0.2, 0.4))


def test_the_same_length_keeps_the_zoom(stack: PaneStack) -> None:
    stack.panes[1].view.setXRange(0.5, 1.0, padding=0)
    stack.show_length(2.0)
    assert stack.seconds_in_view == pytest.approx((0.5, 1.0))
    stack.show_length(3.0)
    assert stack.seconds_in_view == (0, 3.0)


def test_a_change_of_width_is_reported(stack: PaneStack, qtbot: QtBot) -> None:
    columns = stack.columns
    with qtbot.waitSignal(stack.range_chosen):
        stack.resize(700, 200)
    qtbot.waitUntil(lambda: stack.columns > columns + 150)


def test_a_moment_is_marked_in_every_pane(stack: PaneStack) -> None:
    stack.show_moment(0.7)
    assert [pane.cursor.value() for pane in stack.panes] == [0.7, 0.7]
    assert all(pane.cursor.isVisible() for pane in stack.panes)
    stack.show_moment(None)
    assert not any(pane.cursor.isVisible() for pane in stack.panes)


def test_titles_and_colors(stack: PaneStack, theme: Theme) -> None:
    stack.panes[0].set_title("Compiled over PyTorch")
    assert stack.panes[0].accessibleDescription() == "Compiled over PyTorch"
    assert [pane.accessibleName() for pane in stack.panes] == ["Upper", "Lower"]
    theme.choose(Appearance.DARK)
    assert stack.panes[0].grab().toImage().pixelColor(3, 40).name() == DARK.surface


def test_a_long_title_gives_way(stack: PaneStack, qtbot: QtBot) -> None:
    upper = stack.panes[0]
    upper.set_title("Compiled over the reference, as many channels as there are")
    assert "…" not in upper.shown_title
    stack.resize(180, 200)
    qtbot.waitUntil(lambda: upper.shown_title.endswith("…"))
    assert upper.accessibleDescription().endswith("there are")


def test_a_part_is_selected_in_every_pane_and_dragged_in_any(stack: PaneStack, qtbot: QtBot) -> None:
    assert stack.part is None
    stack.select_part((0.5, 1.0))
    assert stack.part == pytest.approx((0.5, 1.0))
    with qtbot.waitSignal(stack.part_chosen) as chosen:
        stack.panes[-1].part.setRegion((0.25, 0.75))
    assert chosen.args == pytest.approx([0.25, 0.75])
    assert all(pane.part.getRegion() == pytest.approx((0.25, 0.75)) for pane in stack.panes)
    stack.select_part(None)
    assert stack.part is None


def test_keys_move_the_cursor_and_the_borders_of_the_part(stack: PaneStack, qtbot: QtBot) -> None:
    points: list[tuple[float, float]] = []
    stack.pointed.connect(lambda *point: points.append(point))
    pane = stack.panes[0]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up):
        qtbot.keyClick(pane, key)
    start, end = stack.seconds_in_view
    step = (end - start) / STEPS_ACROSS
    assert [at for at, _ in points] == pytest.approx([step, 2 * step, step, step])
    assert points[-1][1] > points[0][1]
    assert pane.cursor.isVisible()
    stack.select_part((0.0, end))
    qtbot.keyClick(pane, Qt.Key.Key_BracketLeft)
    assert stack.part == pytest.approx((step, end))
    qtbot.keyClick(pane, Qt.Key.Key_Right)
    qtbot.keyClick(pane, Qt.Key.Key_BracketRight)
    assert stack.part == pytest.approx((step, 2 * step))
    qtbot.keyClick(pane, Qt.Key.Key_Plus)
    low, high = stack.seconds_in_view
    assert high - low < end - start


@pytest.fixture
def plot(qtbot: QtBot) -> TimePane:
    plot = TimePane("A plot")
    qtbot.addWidget(plot)
    plot.resize(400, 120)
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def test_all_of_it_is_in_view_and_no_more(plot: TimePane) -> None:
    plot.show_seconds(2.5)
    assert tuple(plot.view.viewRange()[0]) == (0, 2.5)
    plot.view.setXRange(-3, 7, padding=0)
    assert tuple(plot.view.viewRange()[0]) == (0, 2.5)
    plot.view.setXRange(1.0, 1.001, padding=0)
    low, high = tuple(plot.view.viewRange()[0])
    assert high - low == pytest.approx(0.01)


def test_the_axis_says_seconds() -> None:
    assert SecondsAxis("bottom").tickStrings([0, 0.5, 1.25], 1, 0.25) == ["0 s", "0.5 s", "1.25 s"]
