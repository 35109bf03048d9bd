import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.controls import DiagnosticsControls
from app.diagnostics.runs.run import Shown
from app.diagnostics.runs.run_history import RunHistory
from engine.validator.data.results import Reading, Regime
from tests.app.diagnostics_fakes import UTTERANCES, finished_run


@pytest.fixture
def controls(qtbot: QtBot) -> DiagnosticsControls:
    controls = DiagnosticsControls()
    qtbot.addWidget(controls)
    return controls


def test_what_is_shown_comes_from_both_lines(controls: DiagnosticsControls) -> None:
    assert controls.shown == Shown(Regime.COMPILED)
    controls.to_run.regime.choose(Regime.UPSTREAM)
    controls.to_show.reading.choose(Reading.OWN_FED)
    controls.to_show.show_utterances(UTTERANCES)
    controls.to_show.utterance.choose(1)
    assert controls.shown == Shown(Regime.UPSTREAM, Reading.OWN_FED, 1)


def test_a_run_fills_the_choices(controls: DiagnosticsControls) -> None:
    history, run = RunHistory(), finished_run()
    history.add(run)
    controls.show_run(run, history)
    assert controls.to_run.reference.value == Regime.DYNAMIC
    assert len(controls.to_show.utterance.values) == 2 + len(UTTERANCES)
