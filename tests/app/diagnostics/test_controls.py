from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics import controls as module
from app.diagnostics.controls import RunControls, RunOptions, ViewControls
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.runs.run_text import RunHistory
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.preparation.lstm_methods import LSTM_METHODS
from engine.validator.data.results import STUDENT_REGIMES, Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, request


@pytest.fixture
def to_run(qtbot: QtBot) -> RunControls:
    to_run = RunControls()
    qtbot.addWidget(to_run)
    return to_run


def test_every_choice_is_an_option(to_run: RunControls) -> None:
    to_run.regime.choose(Regime.STATIC_NO_PACK)
    to_run.reference.choose(Regime.STATIC_PACKED)
    to_run.set_padding(5.0)
    to_run.more.device.choose("cpu")
    to_run.more.lstm_method.choose("tir")
    to_run.more.probes.trigger()
    assert to_run.options == DiagnosticsOptions(
        (Regime.UPSTREAM, Regime.STATIC_NO_PACK), Regime.STATIC_PACKED, 5.0, "cpu", "tir", probes=True
    )


def test_students_are_offered_where_a_model_has_them(to_run: RunControls) -> None:
    to_run.offer_regimes(("compiled+decoder=dynamic",))
    plain = set(Regime) - set(STUDENT_REGIMES)
    assert set(to_run.regimes) == set(to_run.reference.values) == plain
    assert set(to_run.regime.values) == {*plain, "compiled+decoder=dynamic"}
    to_run.offer_students(True)
    to_run.regime.choose(Regime.DISTILLED)
    assert to_run.options.regimes == (Regime.UPSTREAM, Regime.DISTILLED)
    assert set(to_run.regime.values) == {*Regime, "compiled+decoder=dynamic"}
    to_run.offer_students(False)
    assert to_run.regime.value == Regime.COMPILED


def test_a_crossed_regime_can_be_looked_at_but_not_run(to_run: RunControls) -> None:
    mixed = "compiled with bert from dynamic"
    to_run.offer_regimes((Regime.COMPILED, mixed))
    to_run.regime.choose(mixed)
    assert to_run.regime.currentText() == mixed
    assert to_run.options.regimes == (Regime.UPSTREAM, Regime.COMPILED)


def test_the_button_diagnoses_or_stops(to_run: RunControls, qtbot: QtBot) -> None:
    with qtbot.waitSignal(to_run.diagnose_requested) as wanted:
        qtbot.keyClick(to_run.diagnose_button, Qt.Key.Key_Space)
    assert wanted.args == [to_run.options]
    to_run.show_running(True)
    assert to_run.diagnose_button.accessibleName() == "Stop"
    with qtbot.waitSignal(to_run.stop_requested), qtbot.assertNotEmitted(to_run.diagnose_requested):
        to_run.diagnose_button.click()


def test_only_the_regime_is_reported_at_once(to_run: RunControls, qtbot: QtBot) -> None:
    with qtbot.waitSignal(to_run.regime_chosen):
        to_run.regime.activated.emit(1)
    with qtbot.assertNotEmitted(to_run.regime_chosen):
        to_run.reference.activated.emit(1)


@pytest.fixture
def options(qtbot: QtBot) -> RunOptions:
    options = RunOptions()
    qtbot.addWidget(options)
    return options


def test_devices_and_lstm_methods_of_the_engine_can_be_chosen(options: RunOptions) -> None:
    assert tuple(options.device.actions_of) == DEVICES
    assert tuple(options.lstm_method.actions_of) == LSTM_METHODS
    assert (options.device.value, options.lstm_method.value) == (AUTO, AUTO)


@pytest.mark.parametrize("unavailable_reason", [None, "Metal needs a Mac"])
def test_metal_cannot_be_chosen_where_there_is_none(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, unavailable_reason: str | None
) -> None:
    monkeypatch.setattr(module, "metal_unavailable_reason", lambda: unavailable_reason)
    options = RunOptions()
    qtbot.addWidget(options)
    for menu, value in ((options.device, "metal"), (options.lstm_method, "mps")):
        action = menu.actions_of[value]
        assert action.isEnabled() == (unavailable_reason is None)
        assert unavailable_reason is None or action.toolTip() == unavailable_reason


@pytest.fixture
def to_show(qtbot: QtBot) -> ViewControls:
    to_show = ViewControls()
    qtbot.addWidget(to_show)
    return to_show


def history_of(count: int) -> RunHistory:
    history = RunHistory()
    for _ in range(count):
        history.add(DiagnosticsRun(request(), CONFIG))
    return history


def test_utterances_are_numbered_and_quoted(to_show: ViewControls) -> None:
    to_show.show_utterances(UTTERANCES)
    assert [to_show.utterance.itemText(number) for number in range(5)] == [
        "Worst Utterance",
        "Now Playing",
        "1 · The window is open.",
        "2 · Everything happens on this computer.",
        "3 · Dr. Smith left.",
    ]
    to_show.utterance.choose(2)
    assert to_show.shown_utterance == 2


def test_the_utterance_playing_is_shown_while_that_option_is_chosen(to_show: ViewControls, qtbot: QtBot) -> None:
    to_show.show_utterances(UTTERANCES)
    to_show.show_current_utterance(1)
    assert to_show.shown_utterance is None
    to_show.show_heard()
    assert to_show.shown_utterance == 1
    with qtbot.assertNotEmitted(to_show.changed):
        to_show.show_current_utterance(0)  # while the panel is closed
    to_show.show()
    with qtbot.waitSignal(to_show.changed):
        to_show.show_current_utterance(2)
    assert to_show.shown_utterance == 2
    with qtbot.assertNotEmitted(to_show.changed):
        to_show.show_current_utterance(2)
    to_show.show_current_utterance(None)
    assert to_show.shown_utterance is None  # so that the worst is shown
    to_show.utterance.choose(0)
    to_show.show_heard()
    assert to_show.shown_utterance == 0  # as chosen


def test_choices_are_reported(to_show: ViewControls, qtbot: QtBot) -> None:
    to_show.show_utterances(UTTERANCES)
    for box in (to_show.reading, to_show.utterance, to_show.earlier):
        with qtbot.waitSignal(to_show.changed):
            box.activated.emit(0)


def test_a_run_is_compared_with_others_only(to_show: ViewControls, qtbot: QtBot) -> None:
    history = history_of(3)
    newest, middle, oldest = (each.run for each in history.listed)
    to_show.show_history(history, middle)
    assert to_show.run.value is middle
    assert to_show.earlier.values == (None, newest, oldest)
    to_show.earlier.choose(oldest)
    assert to_show.earlier_run is oldest
    to_show.show_history(history, oldest)
    assert to_show.earlier_run is None
    with qtbot.waitSignal(to_show.run_chosen) as chosen:
        to_show.run.activated.emit(0)
    assert chosen.args == [newest]


def test_a_run_of_a_different_text_cannot_be_compared_and_explains_itself(to_show: ViewControls) -> None:
    history = history_of(2)
    newest, other = (each.run for each in history.listed)
    to_show.show_history(history, newest)
    to_show.earlier.choose(other)
    asked = request()
    another = DiagnosticsRun(replace(asked, speech=replace(asked.speech, text="New text.")), CONFIG)
    history.add(another)
    to_show.show_history(history, another)
    assert to_show.earlier_run is None
    entry = to_show.earlier.model().index(to_show.earlier.values.index(other), 0)
    assert not entry.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "Different texts" in entry.data(Qt.ItemDataRole.ToolTipRole)


def test_differing_settings_are_reported(to_show: ViewControls) -> None:
    history = history_of(1)
    other = DiagnosticsRun(replace(request(), padding=4.0), CONFIG)
    history.add(other)
    to_show.show_history(history, other)
    to_show.earlier.choose(history.listed[1].run)
    to_show.earlier.activated.emit(1)
    assert "padding: 4 and 1" in to_show.earlier.toolTip()
