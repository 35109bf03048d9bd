from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_history import RunHistory
from app.diagnostics.view_controls import ViewControls
from engine.validator.data.results import Reading
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, request


@pytest.fixture
def controls(qtbot: QtBot) -> ViewControls:
    controls = ViewControls()
    qtbot.addWidget(controls)
    return controls


def history_of(count: int) -> RunHistory:
    history = RunHistory()
    for _ in range(count):
        history.add(DiagnosticsRun(request(), CONFIG))
    return history


def test_at_first_the_isolated_error_of_the_worst_is_shown(controls: ViewControls) -> None:
    assert controls.shown_reading is Reading.REFERENCE_FED
    assert controls.shown_utterance is None
    assert controls.earlier_run is None


def test_utterances_are_numbered_and_quoted(controls: ViewControls) -> None:
    controls.show_utterances(UTTERANCES)
    assert [controls.utterance.itemText(number) for number in range(5)] == [
        "Worst Utterance",
        "Now Playing",
        "1 · The window is open.",
        "2 · Everything happens on this computer.",
        "3 · Dr. Smith left.",
    ]
    controls.utterance.choose(2)
    assert controls.shown_utterance == 2


def test_what_is_heard_is_shown_while_that_is_chosen(controls: ViewControls, qtbot: QtBot) -> None:
    controls.show_utterances(UTTERANCES)
    controls.follow(1)
    assert controls.shown_utterance is None
    controls.show_heard()
    assert controls.shown_utterance == 1
    with qtbot.assertNotEmitted(controls.changed):
        controls.follow(0)  # while the panel is closed
    controls.show()
    with qtbot.waitSignal(controls.changed):
        controls.follow(2)
    assert controls.shown_utterance == 2
    with qtbot.assertNotEmitted(controls.changed):
        controls.follow(2)
    controls.follow(None)
    assert controls.shown_utterance is None  # so that the worst is shown
    controls.utterance.choose(0)
    controls.show_heard()
    assert controls.shown_utterance == 0  # as it was chosen


def test_choices_are_told(controls: ViewControls, qtbot: QtBot) -> None:
    controls.show_utterances(UTTERANCES)
    for box in (controls.reading, controls.utterance, controls.earlier):
        with qtbot.waitSignal(controls.changed):
            box.activated.emit(0)


def test_a_single_run_needs_no_choice(controls: ViewControls) -> None:
    controls.show_history(RunHistory(), None)
    assert controls.run.currentText() == "no run yet"
    history = history_of(1)
    controls.show_history(history, history.listed[0].run)
    assert not controls.run.isEnabled()
    assert not controls.earlier.isEnabled()


def test_a_run_is_compared_with_others_only(controls: ViewControls, qtbot: QtBot) -> None:
    history = history_of(3)
    newest, middle, oldest = (each.run for each in history.listed)
    controls.show_history(history, middle)
    assert controls.run.value is middle
    assert controls.earlier.values == (None, newest, oldest)
    controls.earlier.choose(oldest)
    assert controls.earlier_run is oldest
    controls.show_history(history, oldest)
    assert controls.earlier_run is None
    with qtbot.waitSignal(controls.run_chosen) as chosen:
        controls.run.activated.emit(0)
    assert chosen.args == [newest]


def test_a_run_of_another_text_cannot_be_compared_and_says_why(controls: ViewControls) -> None:
    history = history_of(2)
    newest, other = (each.run for each in history.listed)
    controls.show_history(history, newest)
    controls.earlier.choose(other)
    asked = request()
    another = DiagnosticsRun(replace(asked, speech=replace(asked.speech, text="Another.")), CONFIG)
    history.add(another)
    controls.show_history(history, another)
    assert controls.earlier_run is None
    entry = controls.earlier.model().index(controls.earlier.values.index(other), 0)
    assert not entry.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "different texts" in entry.data(Qt.ItemDataRole.ToolTipRole)


def test_what_was_set_otherwise_is_told(controls: ViewControls) -> None:
    history = history_of(1)
    other = DiagnosticsRun(replace(request(), padding=4.0), CONFIG)
    history.add(other)
    controls.show_history(history, other)
    controls.earlier.choose(history.listed[1].run)
    controls.earlier.activated.emit(1)
    assert "padding: 4 and 1" in controls.earlier.toolTip()
