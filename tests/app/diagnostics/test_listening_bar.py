import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.listening import Part
from app.diagnostics.listening_bar import ListeningBar
from app.theme import DARK


@pytest.fixture
def bar(qtbot: QtBot) -> ListeningBar:
    bar = ListeningBar()
    qtbot.addWidget(bar)
    bar.set_colours(DARK)
    return bar


@pytest.mark.parametrize("part", list(Part))
def test_every_part_can_be_wanted(bar: ListeningBar, qtbot: QtBot, part: Part) -> None:
    with qtbot.waitSignal(bar.wanted) as wanted:
        bar.buttons[part].click()
    assert wanted.args == [part]


def test_sides_are_named(bar: ListeningBar) -> None:
    bar.name_sides("Compiled", "PyTorch")
    assert bar.buttons[Part.OURS].accessibleName() == "Play A: Compiled"
    assert bar.buttons[Part.REFERENCE].toolTip() == "Play B: PyTorch"


def test_waveform_or_spectrogram(bar: ListeningBar, qtbot: QtBot) -> None:
    assert bar.waveform_button.isChecked()
    with qtbot.waitSignal(bar.spectrogram_wanted) as wanted:
        bar.spectrogram_button.click()
    assert wanted.args == [True]
    assert not bar.waveform_button.isChecked()
    with qtbot.waitSignal(bar.spectrogram_wanted) as wanted:
        bar.waveform_button.click()
    assert wanted.args == [False]


def test_a_difference_of_nothing_cannot_be_heard(bar: ListeningBar) -> None:
    bar.offer_difference(False)
    assert not bar.buttons[Part.DIFFERENCE].isEnabled()
    bar.offer_difference(True)
    assert bar.buttons[Part.DIFFERENCE].isEnabled()
