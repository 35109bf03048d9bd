import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.listening import LOUDEST_GAIN, ListeningBar, Part


@pytest.fixture
def bar(qtbot: QtBot) -> ListeningBar:
    bar = ListeningBar()
    qtbot.addWidget(bar)
    return bar


@pytest.mark.parametrize("part", list(Part))
def test_every_part_can_be_wanted_and_is_shown_only_when_it_is_heard(
    bar: ListeningBar, qtbot: QtBot, part: Part
) -> None:
    with qtbot.waitSignal(bar.wanted) as wanted:
        bar.buttons[part].click()
    assert wanted.args == [part]
    assert not bar.buttons[part].isChecked()
    bar.show_playing(part)
    assert [each for each, button in bar.buttons.items() if button.isChecked()] == [part]
    assert bar.buttons[part].accessibleName().startswith("Stop ")


def test_sides_are_named(bar: ListeningBar) -> None:
    bar.name_sides("Padded, not packed", "PyTorch")
    assert [button.text() for button in bar.buttons.values()] == [
        "A · Padded, not packed, end to end",
        "B · PyTorch",
        "A - B",
    ]
    assert bar.buttons[Part.OURS].accessibleName() == "Play A: Padded, not packed, end to end"
    assert bar.buttons[Part.REFERENCE].toolTip() == "Play B: PyTorch"


def test_a_is_end_to_end_until_the_last_stage_alone_is_wanted(bar: ListeningBar, qtbot: QtBot) -> None:
    assert bar.end_to_end
    for button, end_to_end in ((bar.alone_button, False), (bar.whole_button, True)):
        with qtbot.waitSignal(bar.end_to_end_toggled) as toggled:
            button.click()
        assert toggled.args == [end_to_end]
        assert bar.end_to_end is end_to_end
        assert ("last stage only" in bar.buttons[Part.OURS].text()) is not end_to_end
    assert bar.alone_button.toolTip() != bar.whole_button.toolTip()


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


def test_the_difference_is_louder_by_these_gains(bar: ListeningBar) -> None:
    assert bar.gain_db == 20
    assert bar.gain.values == (0.0, 20.0, 40.0, LOUDEST_GAIN)
    bar.gain.choose(LOUDEST_GAIN)
    assert bar.gain_db == LOUDEST_GAIN


def test_looping_is_a_switch(bar: ListeningBar, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bar.loop_toggled) as toggled:
        bar.loop_button.click()
    assert toggled.args == [True]
    assert bar.loops


def test_the_tab_key_leads_from_left_to_right(bar: ListeningBar, qtbot: QtBot) -> None:
    bar.resize(bar.sizeHint())
    bar.show()
    bar.activateWindow()
    bar.spectrogram_button.setFocus()
    places = []
    for _ in range(5):
        focused = bar.focusWidget()
        places.append(focused.mapTo(bar, QPoint()).x())
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert len(bar.lines) == 1
    assert places == sorted(set(places))
