from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.audio.player_panel import PlayerPanel, WaveformPane
from app.audio.track import AudioTrack
from app.audio.transport_bar import TransportBar, clock_time
from engine.speech import Plan
from tests.app.fakes import RATE_HZ, chunk_of, utterances_of

UTTERANCES = utterances_of("One. Two.")


@pytest.fixture
def panel(qtbot: QtBot) -> PlayerPanel:
    panel, track = PlayerPanel(QLabel("A title")), AudioTrack()
    qtbot.addWidget(panel)
    track.plan(Plan(UTTERANCES))
    panel.show_track(track)
    track.append(chunk_of(UTTERANCES[0], 2, 8 * RATE_HZ))
    panel.refresh()
    return panel


def test_samples_become_seconds(panel: PlayerPanel) -> None:
    panel.show_position(3 * RATE_HZ)
    assert panel.transport.position_label.text() == "0:03"
    assert panel.transport.length_label.text() == "about 0:16"


def test_audio_generated_before_a_stop_shows_as_a_part(panel: PlayerPanel) -> None:
    panel.track.finish()
    panel.refresh()
    assert panel.transport.length_label.text() == "about 0:16 (0:08 generated)"
    assert panel.waveform.zoom.shown.total == 16 * RATE_HZ


@pytest.mark.parametrize(("start", "back", "forward"), [(6, 1, 8), (0, 0, 5), (8, 3, 8)])
def test_skipping_stays_within_the_track(panel: PlayerPanel, qtbot: QtBot, start: int, back: int, forward: int) -> None:
    panel.show_position(start * RATE_HZ)
    with qtbot.waitSignal(panel.seek_requested) as wanted:
        panel.transport.back_button.click()
    assert wanted.args == [back * RATE_HZ]
    with qtbot.waitSignal(panel.seek_requested) as wanted:
        panel.transport.forward_button.click()
    assert wanted.args == [forward * RATE_HZ]


def test_the_waveform_toggles(panel: PlayerPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.toggle_requested):
        panel.waveform.toggle_requested.emit()


@pytest.fixture
def pane(qtbot: QtBot) -> WaveformPane:
    pane, track = WaveformPane(), AudioTrack()
    qtbot.addWidget(pane)
    pane.resize(500, 140)
    pane.show()
    qtbot.waitExposed(pane)
    track.append(chunk_of(utterances_of("One.")[0], 1, 60 * RATE_HZ))
    track.finish()
    pane.view.show_track(track)
    return pane


def test_the_bar_is_there_only_for_a_part(pane: WaveformPane) -> None:
    assert not pane.bar.isVisible()
    pane.view.zoom.zoom(10, 30 * RATE_HZ)
    assert pane.bar.isVisible()
    assert pane.bar.accessibleName()
    pane.view.zoom.show_whole()
    assert not pane.bar.isVisible()


def test_the_bar_and_the_view_show_the_same_part(pane: WaveformPane) -> None:
    zoom = pane.view.zoom
    zoom.zoom(10, 30 * RATE_HZ)
    bar = pane.bar
    assert (bar.value(), bar.pageStep(), bar.maximum()) == (27 * RATE_HZ, 6 * RATE_HZ, 54 * RATE_HZ)
    bar.setValue(40 * RATE_HZ)
    assert zoom.shown.start == 40 * RATE_HZ
    zoom.scroll_to(5 * RATE_HZ)
    assert bar.value() == 5 * RATE_HZ


def test_forty_hours_can_be_scrolled_and_clicked(qtbot: QtBot) -> None:
    """Qt's `int` cannot hold that many samples."""
    pane, track, utterances = WaveformPane(), AudioTrack(), utterances_of("One.")
    rate, hours = 24_000, 40
    second = replace(chunk_of(utterances[0], 1, rate), sample_rate_hz=rate)
    qtbot.addWidget(pane)
    pane.resize(500, 140)
    pane.show()
    track.plan(Plan(utterances, characters_left=4 * (hours * 3600 - 1)))
    track.append(second)
    pane.view.show_track(track)
    zoom = pane.view.zoom
    assert zoom.shown.total == hours * 3600 * rate > 2**31
    zoom.zoom(2, zoom.shown.total / 2)
    assert (pane.bar.minimum(), pane.bar.value()) == (0, pytest.approx(pane.bar.maximum() / 2, rel=0.01))
    pane.bar.setValue(pane.bar.maximum())
    assert zoom.shown.end == pytest.approx(zoom.shown.total, abs=10)
    with qtbot.waitSignal(pane.view.unmade_requested) as wanted:
        qtbot.mouseClick(pane.view, Qt.MouseButton.LeftButton, pos=QPoint(490, 40))
    assert 39 * 3600 * rate < wanted.args[0] < zoom.shown.total


@pytest.fixture
def bar(qtbot: QtBot) -> TransportBar:
    bar = TransportBar()
    qtbot.addWidget(bar)
    return bar


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (9.99, "0:09"), (61, "1:01"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_times(seconds: float, words: str) -> None:
    assert clock_time(seconds) == words


def test_there_is_nothing_to_skip_in_at_first(bar: TransportBar) -> None:
    assert not bar.forward_button.isEnabled()
    bar.show_length(3.2, exact=True)
    assert bar.forward_button.isEnabled()
    assert bar.length_label.text() == "0:03"


def test_an_unknown_length_shows_as_approximate(bar: TransportBar) -> None:
    bar.show_length(62, exact=False)
    assert bar.length_label.text() == "about 1:02"


def test_the_button_in_the_middle_is_that_of_a_command(bar: TransportBar, qtbot: QtBot) -> None:
    action = QAction("Play", bar)
    bar.show_action(action)
    with qtbot.waitSignal(action.triggered):
        bar.play_button.click()
    action.setText("Pause")
    assert bar.play_button.accessibleName() == "Pause"
    action.setEnabled(False)
    assert not bar.play_button.isEnabled()


def test_buttons_ask(bar: TransportBar, qtbot: QtBot) -> None:
    bar.show_length(10, exact=True)
    with qtbot.waitSignals([bar.back_requested, bar.forward_requested]):
        for button in (bar.back_button, bar.forward_button):
            button.click()
