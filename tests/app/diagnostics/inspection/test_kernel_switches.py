import pytest
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.kernel_switches import KernelSwitches
from engine.validator.data.kernel_request import Replacement, Substitute
from tests.app.inspection_fakes import INPUT, STAGE, kernel

A, B = kernel("a"), kernel("b")
A_PLAIN = Replacement(STAGE, "a", Substitute.PLAIN_LOOPS)
A_TORCH = Replacement(STAGE, "a", Substitute.PYTORCH)
B_TORCH = Replacement(STAGE, "b", Substitute.PYTORCH)
WHOLE = Replacement(STAGE, None, Substitute.PYTORCH)


class Shown:
    def __init__(self, qtbot: QtBot) -> None:
        self.switches = KernelSwitches()
        qtbot.addWidget(self.switches)
        self.wanted: list[tuple[Replacement, ...]] = []
        self.switches.replacements_wanted.connect(self.wanted.append)
        self.switches.show_node(STAGE, A)


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def states(shown: Shown) -> list[bool]:
    boxes = (shown.switches.plain_loops, shown.switches.kernel_in_pytorch, shown.switches.stage_in_pytorch)
    return [box.isChecked() for box in boxes]


def test_each_switch_asks_for_its_replacement(shown: Shown) -> None:
    for name, wanted in (("plain_loops", A_PLAIN), ("kernel_in_pytorch", A_TORCH), ("stage_in_pytorch", WHOLE)):
        box: QCheckBox = getattr(shown.switches, name)
        box.click()
        assert shown.wanted[-1] == (wanted,)
        box.click()


def test_a_kernel_is_computed_in_one_way(shown: Shown) -> None:
    shown.switches.plain_loops.click()
    shown.switches.kernel_in_pytorch.click()
    assert shown.wanted == [(A_PLAIN,), (A_TORCH,)]
    assert states(shown) == [False, True, False]


def test_a_whole_stage_leaves_no_kernel_of_it_to_replace(shown: Shown) -> None:
    shown.switches.plain_loops.click()
    shown.switches.stage_in_pytorch.click()
    assert shown.wanted[-1] == (WHOLE,)
    shown.switches.kernel_in_pytorch.click()
    assert shown.wanted[-1] == (A_TORCH,)


def test_replacements_of_several_kernels_and_stages_add_up(shown: Shown) -> None:
    shown.switches.kernel_in_pytorch.click()
    shown.switches.show_node(STAGE, B)
    assert states(shown) == [False, False, False]
    shown.switches.kernel_in_pytorch.click()
    shown.switches.show_node("decoder", None)
    shown.switches.stage_in_pytorch.click()
    assert shown.wanted[-1] == (A_TORCH, B_TORCH, Replacement("decoder"))
    shown.switches.show_node(STAGE, A)
    assert states(shown) == [False, True, False]


def test_switching_the_last_off_asks_for_nothing(shown: Shown) -> None:
    shown.switches.plain_loops.click()
    shown.switches.say("Something came of it.")
    shown.switches.plain_loops.click()
    assert len(shown.wanted) == 1
    assert shown.switches.wanted == ()
    assert shown.switches.note.isHidden()


def test_forgetting_switches_everything_off(shown: Shown) -> None:
    shown.switches.plain_loops.click()
    shown.switches.forget()
    assert shown.switches.wanted == ()
    assert states(shown) == [False, False, False]
    assert len(shown.wanted) == 1


def test_an_input_is_no_kernel_and_without_a_stage_there_is_nothing(shown: Shown) -> None:
    switches = shown.switches
    switches.show_node(STAGE, INPUT)
    assert [box.isEnabled() for box in (switches.plain_loops, switches.stage_in_pytorch)] == [False, True]
    switches.show_node(None, None)
    assert not switches.stage_in_pytorch.isEnabled()
