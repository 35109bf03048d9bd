import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsOptions
from app.diagnostics.runs.run_controls import RunControls
from engine.validator.data.results import STUDENT_REGIMES, Regime


@pytest.fixture
def controls(qtbot: QtBot) -> RunControls:
    controls = RunControls()
    qtbot.addWidget(controls)
    return controls


def test_the_usual_options(controls: RunControls) -> None:
    assert controls.options == DiagnosticsOptions()


def test_every_choice_is_an_option(controls: RunControls) -> None:
    controls.regime.choose(Regime.STATIC_NO_PACK)
    controls.reference.choose(Regime.STATIC_PACKED)
    controls.set_padding(5.0)
    controls.more.device.choose("cpu")
    controls.more.lstm_method.choose("tir")
    controls.more.probes.trigger()
    assert controls.options == DiagnosticsOptions(
        (Regime.UPSTREAM, Regime.STATIC_NO_PACK), Regime.STATIC_PACKED, 5.0, "cpu", "tir", probes=True
    )


def test_every_regime_can_be_chosen(controls: RunControls) -> None:
    controls.offer_students(True)
    assert set(controls.regime.values) == set(controls.reference.values) == set(Regime)


def test_students_are_offered_where_a_model_has_them(controls: RunControls) -> None:
    controls.offer_regimes(("compiled+decoder=dynamic",))
    plain = set(Regime) - set(STUDENT_REGIMES)
    assert set(controls.regimes) == set(controls.reference.values) == plain
    assert set(controls.regime.values) == {*plain, "compiled+decoder=dynamic"}
    controls.offer_students(True)
    controls.regime.choose(Regime.DISTILLED)
    assert controls.options.regimes == (Regime.UPSTREAM, Regime.DISTILLED)
    assert set(controls.regime.values) == {*Regime, "compiled+decoder=dynamic"}
    controls.offer_students(False)
    assert controls.regime.value == Regime.COMPILED


def test_the_reference_is_not_compared_with_itself(controls: RunControls) -> None:
    controls.regime.choose(Regime.UPSTREAM)
    controls.reference.choose(Regime.UPSTREAM)
    assert Regime.UPSTREAM not in controls.options.regimes


def test_a_crossed_regime_can_be_looked_at_but_not_run(controls: RunControls) -> None:
    crossed = "compiled with bert from dynamic"
    controls.offer_regimes((Regime.COMPILED, crossed))
    controls.regime.choose(crossed)
    assert controls.regime.currentText() == crossed
    assert controls.options.regimes == (Regime.UPSTREAM, Regime.COMPILED)


def test_the_button_diagnoses_or_stops(controls: RunControls, qtbot: QtBot) -> None:
    with qtbot.waitSignal(controls.diagnose_wanted) as wanted:
        qtbot.keyClick(controls.diagnose_button, Qt.Key.Key_Space)
    assert wanted.args == [controls.options]
    controls.show_running(True)
    assert controls.diagnose_button.accessibleName() == "Stop"
    with qtbot.waitSignal(controls.stop_wanted), qtbot.assertNotEmitted(controls.diagnose_wanted):
        controls.diagnose_button.click()


def test_only_the_regime_is_told_at_once(controls: RunControls, qtbot: QtBot) -> None:
    with qtbot.waitSignal(controls.regime_chosen):
        controls.regime.activated.emit(1)
    with qtbot.assertNotEmitted(controls.regime_chosen):
        controls.reference.activated.emit(1)
