import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.settings import DEFAULT_SPEED
from app.speech.activity import Activity, Readiness
from app.speech.header_bar import HeaderBar
from app.speech.sliders import PauseControl, SpeedSlider
from app.speech.speak_button import PlayCommand, SpeakButton, StopButton
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED


def right_of(header: HeaderBar) -> int:
    """Return the right edge of the last control."""
    return header.speak_button.mapTo(header, header.speak_button.rect().topRight()).x()


def test_controls_are_named_and_in_the_order_of_use(qtbot: QtBot) -> None:
    header = HeaderBar()
    qtbot.addWidget(header)
    controls = header.findChildren(QWidget)
    places = [controls.index(each) for each in (header.voices, header.speed, header.save_button, header.speak_button)]
    assert places == sorted(places)
    for control in (header.voices, header.speed.slider, header.save_button, header.speak_button):
        assert control.accessibleName()
    assert not header.save_button.icon().isNull()


def test_a_narrow_header_shows_less_text(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    header.resize(1000, 40)
    window.show()
    whole, narrowest = header.sizeHint().width(), header.minimumSizeHint().width()
    assert not header.short
    header.resize(narrowest, 40)
    assert header.short
    assert header.minimumSizeHint().width() <= narrowest < whole
    assert (header.save_button.text(), header.save_button.accessibleName()) == ("Save…", "Save audio")
    qtbot.waitUntil(lambda: right_of(header) < narrowest)
    header.resize(whole, 40)
    assert not header.short


def test_an_even_narrower_header_moves_speech_commands_to_a_second_line(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    font = header.font()
    font.setPointSizeF(2 * font.pointSizeF())
    header.setFont(font)
    header.resize(1600, 100)
    window.show()
    assert not header.stacked
    header.resize(header.minimumSizeHint().width(), 100)
    assert header.stacked
    qtbot.waitUntil(lambda: header.speak_button.mapTo(header, QPoint()).y() > header.voices.geometry().bottom())
    assert right_of(header) < header.width()
    header.resize(1600, 100)
    assert not header.stacked


@pytest.mark.parametrize("command", PlayCommand)
def test_hiding_the_header_keeps_its_full_text_for_any_play_command(qtbot: QtBot, command: PlayCommand) -> None:
    """Hidden as in focus mode; a long text, such as that for a selection, is not the usual one."""
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    window.resize(1000, 40)
    window.show()
    header.resize(header.sizeHint().width(), 40)
    action = QAction(command.value)
    action.setData(command)
    header.speak_button.show_action(action)
    header.hide()
    header.show()
    assert not header.short


def test_a_header_hidden_while_room_grew_shows_full_text_again(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = HeaderBar(window)
    window.show()
    usual = header.sizeHint().width()
    header.resize(header.minimumSizeHint().width(), 40)
    assert header.short
    header.hide()
    font = header.font()
    font.setPointSizeF(0.8 * font.pointSizeF())  # as a different style of the system does
    header.setFont(font)
    header.show()
    header.resize(usual - 1, 40)
    assert not header.short


@pytest.fixture
def slider(qtbot: QtBot) -> SpeedSlider:
    slider = SpeedSlider()
    qtbot.addWidget(slider)
    return slider


def test_it_starts_at_the_usual_speed(slider: SpeedSlider) -> None:
    assert slider.speed == DEFAULT_SPEED
    assert slider.label.text() == "1.00×"
    assert not slider.reset_button.isEnabled()


@pytest.mark.parametrize(("wanted", "got"), [(1.5, 1.5), (1.23, 1.25), (0.0, SLOWEST_SPEED), (100.0, FASTEST_SPEED)])
def test_the_slider_stays_within_the_speed_range_of_the_engine(slider: SpeedSlider, wanted: float, got: float) -> None:
    slider.set_speed(wanted)
    assert slider.speed == pytest.approx(got)
    assert slider.label.text() == f"{got:.2f}×"


def test_reset_goes_back(slider: SpeedSlider, qtbot: QtBot) -> None:
    slider.set_speed(1.7)
    with qtbot.waitSignal(slider.speed_changed) as changed:
        slider.reset_button.click()
    assert changed.args == [DEFAULT_SPEED]


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


IDLE = Activity(Readiness.READY)
PLAYING = Activity(Readiness.READY, playback=Playback.PLAYING)
PAUSED = Activity(Readiness.READY, playback=Playback.PAUSED)


@pytest.fixture
def action(qtbot: QtBot) -> QAction:
    action = QAction("Play")
    action.setData(PlayCommand.PLAY)
    return action


@pytest.fixture
def button(qtbot: QtBot, action: QAction) -> SpeakButton:
    button = SpeakButton()
    qtbot.addWidget(button)
    button.show_action(action)
    return button


@pytest.mark.parametrize("command", PlayCommand)
def test_the_button_shows_its_command_and_triggers_it(
    button: SpeakButton, action: QAction, command: PlayCommand, qtbot: QtBot
) -> None:
    action.setData(command)
    assert (button.text(), button.accessibleName(), button.command) == (command.value, command.value, command)
    with qtbot.waitSignal(action.triggered):
        button.click()
    action.setEnabled(False)
    assert not button.isEnabled()


def test_the_button_shortens_its_text_if_space_is_short(button: SpeakButton, action: QAction) -> None:
    action.setData(PlayCommand.SELECTION)
    button.set_short(True)
    assert len(button.text()) < len(PlayCommand.SELECTION.value)
    assert button.accessibleName() == PlayCommand.SELECTION.value


def test_its_width_does_not_jump(button: SpeakButton, action: QAction) -> None:
    before = button.minimumSizeHint().expandedTo(button.minimumSize()).width()
    action.setData(PlayCommand.PAUSE)
    assert button.minimumSizeHint().expandedTo(button.minimumSize()).width() == before


@pytest.mark.parametrize(
    ("activity", "there"),
    [(IDLE, False), (PLAYING, True), (PAUSED, True), (Activity(making=True), True), (Activity(previewing=True), True)],
)
def test_stop_is_there_while_there_is_something_to_stop(activity: Activity, there: bool, qtbot: QtBot) -> None:
    button = StopButton()
    qtbot.addWidget(button)
    button.show_activity(activity)
    assert button.isHidden() is not there
    assert button.sizePolicy().retainSizeWhenHidden()
