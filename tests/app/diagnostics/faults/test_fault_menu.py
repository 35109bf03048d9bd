import random

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.faults.fault_menu import FaultMenu
from engine.faults.catalogue import FAULTS


@pytest.fixture
def menu(qtbot: QtBot) -> FaultMenu:
    made = FaultMenu(choose=random.Random(1))
    qtbot.addWidget(made)
    return made


def test_every_fault_can_be_planted_by_its_title(menu: FaultMenu, qtbot: QtBot) -> None:
    wanted: list[str] = []
    menu.wanted.connect(wanted.append)
    for fault in FAULTS:
        assert menu.faults[fault.name].text() == fault.title
        menu.faults[fault.name].trigger()
    assert wanted == [fault.name for fault in FAULTS]


def test_those_shown_first_are_in_the_menu_itself(menu: FaultMenu) -> None:
    titles = [action.text() for action in menu.actions()]
    assert [fault.title in titles for fault in FAULTS] == [fault.shown_first for fault in FAULTS]


def test_a_surprise_is_any_of_them(menu: FaultMenu) -> None:
    wanted: list[str] = []
    menu.wanted.connect(wanted.append)
    for _ in range(40):
        menu.surprise.trigger()
    assert set(wanted) <= {fault.name for fault in FAULTS}
    assert len(set(wanted)) > len(FAULTS) // 2


def test_there_is_something_to_remove_only_while_a_fault_is_planted(menu: FaultMenu) -> None:
    wanted: list[str] = []
    menu.wanted.connect(wanted.append)
    assert not menu.remove.isEnabled()
    menu.show_planted("zeroed-noise")
    menu.remove.trigger()
    assert wanted == [""]
    menu.show_planted("")
    assert not menu.remove.isEnabled()
