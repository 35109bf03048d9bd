import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.audio.time_range import TimeRange
from app.audio.waveform_zoom import WaveformZoom

TOTAL, SHORTEST = 10_000, 500


@pytest.fixture
def zoom(qapp: QObject) -> WaveformZoom:
    zoom = WaveformZoom(qapp)
    zoom.fit(TOTAL, SHORTEST)
    return zoom


def test_zooming_keeps_the_playhead_in_its_place(zoom: WaveformZoom) -> None:
    zoom.move_playhead(4000)
    zoom.zoom_in()
    zoom.zoom_in()
    assert zoom.shown.length < TOTAL / 2
    assert zoom.shown.share_of(4000) == pytest.approx(0.4, abs=0.01)
    zoom.zoom_out()
    zoom.zoom_out()
    assert zoom.shown.whole


def test_there_is_a_shortest_part_and_the_whole_is_one_step_away(zoom: WaveformZoom) -> None:
    for _ in range(20):
        zoom.zoom_in()
    assert zoom.shown.length == SHORTEST
    zoom.show_whole()
    assert zoom.shown == TimeRange(TOTAL, 0, TOTAL)


def test_a_part_follows_the_playhead_page_by_page(zoom: WaveformZoom, qtbot: QtBot) -> None:
    zoom.zoom(10, 0)
    with qtbot.assertNotEmitted(zoom.changed):
        zoom.move_playhead(999)
    zoom.move_playhead(1000)
    assert zoom.shown == TimeRange(TOTAL, 900, 1000)


def test_it_stays_where_somebody_scrolls_until_asked_to_follow(zoom: WaveformZoom) -> None:
    zoom.zoom(10, 0)
    zoom.scroll(-50)
    place = zoom.shown
    assert place.start == 5000
    zoom.move_playhead(1500)
    assert zoom.shown == place
    zoom.zoom_in()  # around the middle of what is in view
    assert zoom.shown.contains(5500)
    zoom.follow(1500)
    assert zoom.shown.contains(1500)
    zoom.scroll_to(5000)
    zoom.scroll_to(1400)  # the playhead is in view again
    zoom.move_playhead(8000)
    assert zoom.shown.contains(8000)


def test_another_sound_is_shown_whole(zoom: WaveformZoom) -> None:
    zoom.zoom(10, 0)
    zoom.scroll_to(5000)
    zoom.begin()
    zoom.fit(200, SHORTEST)
    assert zoom.shown == TimeRange(200, 0, 200)
    zoom.zoom_in()
    assert zoom.shown.whole  # it is shorter than the shortest part
