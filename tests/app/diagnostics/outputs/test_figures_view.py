from pytestqt.qtbot import QtBot

from app.diagnostics.metric_words import VERDICT_MEANINGS, figures_of
from app.diagnostics.outputs.output_list import FiguresView
from app.theme import DARK
from engine.stages import STAGES
from engine.validator.data.results import Regime, Verdict
from tests.app.diagnostics_fakes import row

AUDIO = row(STAGES[-1], "audio", Regime.STATIC_NO_PACK)


def test_every_number_is_there(qtbot: QtBot) -> None:
    view = FiguresView()
    qtbot.addWidget(view)
    view.show_row(AUDIO)
    for name, words in figures_of(AUDIO):
        assert name in view.label.text()
        assert words in view.label.text()
        assert f"{name} {words}" in view.accessibleDescription()
    assert VERDICT_MEANINGS[Verdict.FAIL] in view.label.text()


def test_nothing_is_empty(qtbot: QtBot) -> None:
    view = FiguresView()
    qtbot.addWidget(view)
    view.show_row(AUDIO)
    view.show_row(None)
    assert view.label.text() == ""


def test_it_takes_the_theme_s_colours(qtbot: QtBot) -> None:
    view = FiguresView()
    qtbot.addWidget(view)
    view.show_row(AUDIO)
    view.set_colours(DARK)
    assert DARK.error in view.label.text()
    assert DARK.faint in view.label.text()
