import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.audio.player_panel import PlayerPanel
from app.audio.track import AudioTrack
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


def test_what_was_made_before_a_stop_is_shown_as_a_part(panel: PlayerPanel) -> None:
    panel.track.finish()
    panel.refresh()
    assert panel.transport.length_label.text() == "about 0:16 (0:08 generated)"
    assert panel.waveform.zoom.shown.total == 16 * RATE_HZ


@pytest.mark.parametrize(("start", "back", "forward"), [(6, 1, 8), (0, 0, 5), (8, 3, 8)])
def test_skipping_stays_inside_what_is_there(
    panel: PlayerPanel, qtbot: QtBot, start: int, back: int, forward: int
) -> None:
    panel.show_position(start * RATE_HZ)
    with qtbot.waitSignal(panel.seek_wanted) as wanted:
        panel.transport.back_button.click()
    assert wanted.args == [back * RATE_HZ]
    with qtbot.waitSignal(panel.seek_wanted) as wanted:
        panel.transport.forward_button.click()
    assert wanted.args == [forward * RATE_HZ]


def test_the_waveform_toggles(panel: PlayerPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.toggle_wanted):
        panel.waveform.toggle_wanted.emit()
