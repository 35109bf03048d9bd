import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import Tone
from app.diagnostics.figures import FiguresView
from app.theme import DARK, Appearance, Theme


@pytest.fixture
def view(qtbot: QtBot) -> FiguresView:
    view = FiguresView("Numbers")
    qtbot.addWidget(view)
    view.show()
    view.show_figures("It fails.", Tone.ERROR, (("Max error", "0.5"), ("Read by", (("b1", "conv1d b1"),))))
    return view


def test_every_number_is_there_and_can_be_heard(view: FiguresView) -> None:
    for words in ("It fails", "Max error", "0.&#8203;5", "conv1d b1"):
        assert words in view.label.text()
    assert view.accessibleDescription() == "It fails.; Max error 0.5"


def test_a_link_is_told(view: FiguresView, qtbot: QtBot) -> None:
    assert "href='b1'" in view.label.text()
    with qtbot.waitSignal(view.link_chosen) as chosen:
        view.label.linkActivated.emit("b1")
    assert chosen.args == ["b1"]


def test_nothing_is_empty(view: FiguresView) -> None:
    view.show_figures("", Tone.PLAIN, ())
    assert view.label.text() == ""


def test_it_takes_the_theme_s_colours(view: FiguresView, theme: Theme) -> None:
    theme.choose(Appearance.DARK)
    assert DARK.error in view.label.text()
    assert DARK.faint in view.label.text()
    assert DARK.accent in view.label.text()
