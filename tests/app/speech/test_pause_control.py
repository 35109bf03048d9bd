import pytest
from pytestqt.qtbot import QtBot

from app.speech.pause_control import PauseControl


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
