import pytest
from pytestqt.qtbot import QtBot

from app.audio.track import AudioTrack
from app.audio.waveform_pane import WaveformPane
from tests.app.fakes import RATE_HZ, chunk_of, utterances_of


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
