import pytest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.time_pane import PlainPlot
from app.theme import DARK


@pytest.fixture
def plot(qtbot: QtBot) -> PlainPlot:
    plot = PlainPlot()
    qtbot.addWidget(plot)
    plot.resize(400, 120)
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def test_all_of_it_is_in_view_and_no_more(plot: PlainPlot) -> None:
    plot.show_seconds(2.5)
    assert plot.seconds_in_view() == (0, 2.5)
    plot.view.setXRange(-3, 7, padding=0)
    assert plot.seconds_in_view() == (0, 2.5)
    plot.view.setXRange(1.0, 1.001, padding=0)
    low, high = plot.seconds_in_view()
    assert high - low == pytest.approx(0.01)


def test_a_shorter_one_is_shown_whole_after_a_longer(plot: PlainPlot) -> None:
    plot.show_seconds(2.5)
    plot.show_seconds(0.4)
    assert plot.seconds_in_view() == (0, 0.4)


def test_the_axis_says_seconds(plot: PlainPlot) -> None:
    assert plot.bottom.tickStrings([0, 0.5, 1.25], 1, 0.25) == ["0 s", "0.5 s", "1.25 s"]


def test_no_menu_is_left_to_the_garbage_collector(qtbot: QtBot) -> None:
    def menus() -> set[QMenu]:
        return {each for each in QApplication.allWidgets() if isinstance(each, QMenu)}

    before = menus()
    qtbot.addWidget(PlainPlot())
    assert menus() <= before


def test_it_takes_the_theme_s_colours(plot: PlainPlot) -> None:
    plot.set_colours(DARK)
    assert plot.grab().toImage().pixelColor(2, 2).name() == DARK.surface
