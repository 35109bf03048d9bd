import pytest
from pytestqt.qtbot import QtBot

from app.settings import USUAL_SPEED
from app.speech.sliders import PauseControl, SpeedSlider
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED


@pytest.fixture
def slider(qtbot: QtBot) -> SpeedSlider:
    slider = SpeedSlider()
    qtbot.addWidget(slider)
    return slider


def test_it_starts_at_the_usual_speed(slider: SpeedSlider) -> None:
    assert slider.speed == USUAL_SPEED
    assert slider.label.text() == "1.00×"
    assert not slider.reset_button.isEnabled()


@pytest.mark.parametrize(("wanted", "got"), [(1.5, 1.5), (1.23, 1.25), (0.0, SLOWEST_SPEED), (100.0, FASTEST_SPEED)])
def test_it_stays_within_what_the_engine_can(slider: SpeedSlider, wanted: float, got: float) -> None:
    slider.set_speed(wanted)
    assert slider.speed == pytest.approx(got)
    assert slider.label.text() == f"{got:.2f}×"


def test_reset_goes_back(slider: SpeedSlider, qtbot: QtBot) -> None:
    slider.set_speed(1.7)
    with qtbot.waitSignal(slider.speed_changed) as changed:
        slider.reset_button.click()
    assert changed.args == [USUAL_SPEED]


def test_faster_and_slower_go_a_quarter(slider: SpeedSlider) -> None:
    slider.faster()
    assert slider.speed == 1.25
    slider.slower()
    slider.slower()
    assert slider.speed == 0.75


@pytest.fixture
def control(qtbot: QtBot) -> PauseControl:
    control = PauseControl()
    qtbot.addWidget(control)
    return control


@pytest.mark.parametrize(("wanted", "reached"), [(0, 0), (0.6, 0.5), (1, 1), (2.5, 2.5), (9, 3)])
def test_pauses_go_from_none_to_three_times_as_long(control: PauseControl, wanted: float, reached: float) -> None:
    control.set_pause_scale(wanted)
    assert control.pause_scale == reached
    assert control.pauses.label.text() == f"{reached:.2f}×"
    assert control.accessibleName() == f"Pauses, {reached:.2f}×"


def test_keys_make_them_longer_and_shorter_and_usual(control: PauseControl, qtbot: QtBot) -> None:
    with qtbot.waitSignal(control.pauses_changed) as changed:
        control.longer()
    assert changed.args == [1.5]
    control.shorter()
    control.shorter()
    assert control.pause_scale == 0.5
    control.pauses.reset_button.click()
    assert control.pause_scale == 1.0
    assert not control.pauses.reset_button.isEnabled()
