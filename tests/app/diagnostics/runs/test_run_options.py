import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs import run_options
from app.diagnostics.runs.run_options import RunOptions
from engine.preparation.devices import AUTO, DEVICES
from engine.preparation.lstm_methods import LSTM_METHODS


@pytest.fixture
def options(qtbot: QtBot) -> RunOptions:
    options = RunOptions()
    qtbot.addWidget(options)
    return options


def test_what_the_engine_has_can_be_chosen(options: RunOptions) -> None:
    assert tuple(options.device.actions_of) == DEVICES
    assert tuple(options.lstm_method.actions_of) == LSTM_METHODS
    assert (options.device.value, options.lstm_method.value) == (AUTO, AUTO)


def test_one_of_a_menu_is_chosen(options: RunOptions) -> None:
    options.device.actions_of["cpu"].trigger()
    assert options.device.value == "cpu"
    assert sum(action.isChecked() for action in options.device.actions()) == 1


def test_the_order_of_stages_is_told_at_once(options: RunOptions, qtbot: QtBot) -> None:
    with qtbot.waitSignal(options.worst_first_toggled) as toggled:
        options.worst_first.trigger()
    assert toggled.args == [True]


@pytest.mark.parametrize("obstacle", [None, "Metal needs a Mac"])
def test_metal_cannot_be_chosen_where_there_is_none(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, obstacle: str | None
) -> None:
    monkeypatch.setattr(run_options, "metal_obstacle", lambda: obstacle)
    options = RunOptions()
    qtbot.addWidget(options)
    for menu, value in ((options.device, "metal"), (options.lstm_method, "mps")):
        action = menu.actions_of[value]
        assert action.isEnabled() == (obstacle is None)
        assert obstacle is None or action.toolTip() == obstacle
