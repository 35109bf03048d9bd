import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.audio.time_range import TimeRange, WaveformZoom

PART = TimeRange(1000, 200, 100)
TOTAL, SHORTEST = 10_000, 500


def test_a_part_stays_and_the_whole_grows_with_the_sound() -> None:
    assert PART.of(5000) == TimeRange(5000, 200, 100)
    assert PART.of(250) == TimeRange(250, 150, 100)
    assert PART.of(50) == TimeRange(50, 0, 50)
    assert TimeRange(1000, 0, 1000).of(5000) == TimeRange(5000, 0, 5000)


@pytest.mark.parametrize(("start", "moved"), [(-5, 0), (300.4, 300), (950, 900)])
def test_it_never_reaches_beyond_the_sound(start: float, moved: int) -> None:
    assert PART.moved_to(start) == TimeRange(1000, moved, 100)


@given(times=st.floats(0.01, 100), sample=st.integers(200, 300))
def test_magnifying_keeps_the_sample_in_its_place(times: float, sample: int) -> None:
    found = PART.magnified(times, sample, shortest=20)
    assert 20 <= found.length <= 1000
    assert 0 <= found.start <= found.end <= 1000
    if found.start > 0 and found.end < 1000:
        assert found.share_of(sample) == pytest.approx(PART.share_of(sample), abs=1 / found.length)


def test_pages_are_turned_only_when_needed() -> None:
    assert PART.turned_to(200) is PART.turned_to(299) is PART
    assert PART.turned_to(300) == TimeRange(1000, 290, 100)
    assert PART.turned_to(20) == TimeRange(1000, 10, 100)
    assert PART.turned_to(1000) == TimeRange(1000, 900, 100)
    assert TimeRange(1000, 900, 100).contains(1000)
    assert not PART.contains(300)


@given(share=st.floats(0, 1))
def test_shares_and_samples_are_the_same_places(share: float) -> None:
    assert PART.share_of(PART.sample_at(share)) == pytest.approx(share, abs=0.006)


def test_there_is_nothing_outside_the_sound() -> None:
    assert TimeRange(1000, 0, 100).sample_at(-1) == 0
    assert TimeRange(1000, 900, 100).sample_at(2) == 1000


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
