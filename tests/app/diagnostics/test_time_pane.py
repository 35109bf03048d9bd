import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.time_pane import PaneStack, TimePane
from app.theme import DARK


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
    assert lower.seconds_in_view() == pytest.approx((0.5, 1.0))
    with qtbot.waitSignal(stack.range_chosen):
        lower.view.setXRange(0.2, 0.4, padding=0)
    assert upper.seconds_in_view() == pytest.approx((0.2, 0.4))
    assert stack.seconds_in_view == pytest.approx((0.2, 0.4))


def test_the_same_length_keeps_the_zoom(stack: PaneStack) -> None:
    stack.panes[1].view.setXRange(0.5, 1.0, padding=0)
    stack.show_length(2.0)
    assert stack.seconds_in_view == pytest.approx((0.5, 1.0))
    stack.show_length(3.0)
    assert stack.seconds_in_view == (0, 3.0)


def test_nothing_is_told_when_nothing_was_chosen(stack: PaneStack, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(stack.range_chosen, wait=50):
        stack.show_length(5.0)


def test_another_width_is_told(stack: PaneStack, qtbot: QtBot) -> None:
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


def test_titles_and_colours(stack: PaneStack) -> None:
    stack.panes[0].set_title("Compiled over PyTorch")
    assert stack.panes[0].accessibleDescription() == "Compiled over PyTorch"
    assert [pane.accessibleName() for pane in stack.panes] == ["Upper", "Lower"]
    stack.set_colours(DARK)
    assert stack.panes[0].grab().toImage().pixelColor(3, 40).name() == DARK.surface


def test_a_long_title_gives_way(stack: PaneStack, qtbot: QtBot) -> None:
    upper = stack.panes[0]
    upper.set_title("Compiled over the reference, as many channels as there are")
    assert "…" not in upper.shown_title
    stack.resize(180, 200)
    qtbot.waitUntil(lambda: upper.shown_title.endswith("…"))
    assert upper.accessibleDescription().endswith("there are")
