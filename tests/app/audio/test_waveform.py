from typing import Any, SupportsIndex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.peak_pyramid import FINEST_BIN_SAMPLES, JoinedPeaks, PeakPyramid
from app.audio.time_range import TimeRange, WaveformZoom
from app.audio.waveform_item import (
    MARK_PIXELS,
    WaveformItem,
    axis_height,
    paint_sentences,
    paint_times,
    seconds_per_label,
)
from app.theme import LIGHT

WIDTH, HEIGHT = 400, 100


def painted(item: WaveformItem) -> QImage:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    item.paint(painter, QRectF(0, 0, WIDTH, HEIGHT))
    painter.end()
    return image


def colors_between(image: QImage, start: int, end: int) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(start, end) for y in range(HEIGHT)}


def test_heard_and_unheard_and_unmade_look_different(qtbot: QtBot) -> None:
    peaks = PeakPyramid()
    peaks.append(np.sin(np.arange(8000) * 0.1).astype(np.float32))
    item = WaveformItem()
    item.show_peaks(peaks, TimeRange(16_000, 0, 16_000))
    item.set_position(4000)
    image = painted(item)
    heard, unheard, unmade = (colors_between(image, *edges) for edges in ((0, 95), (105, 195), (205, WIDTH)))
    assert LIGHT.accent in heard
    assert LIGHT.wave not in heard
    assert LIGHT.wave in unheard
    assert LIGHT.accent not in unheard
    assert LIGHT.wave_pending in unmade
    assert LIGHT.wave not in unmade


def test_louder_is_higher(qtbot: QtBot) -> None:
    peaks = PeakPyramid()
    tone = np.sin(np.arange(6400) * 0.5)
    peaks.append(np.concatenate([0.9 * tone, 0.2 * tone]).astype(np.float32))
    item = WaveformItem()
    item.show_peaks(peaks, TimeRange(12_800, 0, 12_800))
    image = painted(item)
    ink = [sum(image.pixelColor(x, y).name() != "#ffffff" for y in range(HEIGHT)) for x in range(WIDTH)]
    assert max(ink[:190]) > 2.5 * max(ink[210:])


def test_bars_only_move_when_a_different_part_is_shown(qtbot: QtBot) -> None:
    """Each bar stands for the same samples at any scroll position, at the same height even without the peak in view."""
    signal = np.random.default_rng(3).uniform(-0.4, 0.4, 200_000).astype(np.float32)
    signal[150_000:150_100] = 1.0
    peaks = PeakPyramid()
    peaks.append(signal)
    item = WaveformItem()
    per_bar = 16_000 // (WIDTH // 5)
    item.show_peaks(peaks, TimeRange(200_000, 0, 16_000))
    first = painted(item)
    item.show_peaks(peaks, TimeRange(200_000, 10 * per_bar, 16_000))
    moved = painted(item)
    shift = 50
    for x in range(10, WIDTH - shift - 10):
        assert [moved.pixelColor(x, y).name() for y in range(HEIGHT)] == [
            first.pixelColor(x + shift, y).name() for y in range(HEIGHT)
        ]


def test_a_part_shows_its_samples_and_the_portion_already_played(qtbot: QtBot) -> None:
    signal = np.zeros(16_000, np.float32)
    signal[8000:12_000] = np.sin(np.arange(4000) * 0.5)
    peaks = PeakPyramid()
    peaks.append(signal)
    item = WaveformItem()
    item.show_peaks(peaks, TimeRange(32_000, 6000, 8000))
    item.set_position(9000)
    image = painted(item)
    ink = [sum(image.pixelColor(x, y).name() != "#ffffff" for y in range(HEIGHT)) for x in range(WIDTH)]
    assert max(ink[:95]) < 8 < max(ink[105:295]) > 60
    assert max(ink[310:]) < 8
    assert LIGHT.accent in colors_between(image, 105, 145)
    assert LIGHT.accent not in colors_between(image, 155, WIDTH)
    item.set_position(1000)
    assert LIGHT.accent not in colors_between(painted(item), 0, WIDTH)


AXIS_WIDTH, AXIS_HEIGHT, RATE_HZ = 500, 80, 1000


@pytest.fixture
def picture(qtbot: QtBot) -> QImage:
    picture = QImage(
        AXIS_WIDTH, AXIS_HEIGHT + axis_height(QFontMetrics(QApplication.font())), QImage.Format.Format_RGB32
    )
    picture.fill(QColor("white"))
    return picture


def inked_columns(picture: QImage, top: int, bottom: int) -> list[int]:
    def inked(x: int) -> bool:
        return any(picture.pixelColor(x, y).lightness() < 128 for y in range(top, bottom))

    return [x for x in range(picture.width()) if inked(x)]


def marked(picture: QImage, shown: TimeRange, sentences: list[int]) -> list[int]:
    """Return the positions where marks begin."""
    painter = QPainter(picture)
    paint_sentences(painter, QRectF(0, 0, AXIS_WIDTH, AXIS_HEIGHT), shown, sentences, "black")
    painter.end()
    columns = inked_columns(picture, 0, round(MARK_PIXELS))
    return [x for x in columns if x - 1 not in columns]


def test_sentences_in_view_have_a_mark(picture: QImage) -> None:
    places = marked(picture, TimeRange(10_000, 2000, 1000), [0, 1999, 2100, 2500, 2999, 3000, 9000])
    assert places == pytest.approx([50, 250, 499], abs=3)


def test_marks_do_not_run_together(picture: QImage) -> None:
    places = marked(picture, TimeRange(10_000, 0, 10_000), list(range(0, 10_000, 30)))
    assert 40 < len(places) < AXIS_WIDTH / MARK_PIXELS


def test_times_belong_to_the_part_that_is_shown(picture: QImage) -> None:
    painter = QPainter(picture)
    shown = TimeRange(60_000, 30_500, 2000)
    assert seconds_per_label(shown, RATE_HZ, AXIS_WIDTH, painter.fontMetrics()) == 1
    paint_times(painter, QRectF(0, 0, AXIS_WIDTH, AXIS_HEIGHT), shown, RATE_HZ, "black")
    painter.end()
    columns = inked_columns(picture, AXIS_HEIGHT, picture.height())
    assert columns
    assert all(min(abs(x - 125), abs(x - 375)) < 30 for x in columns)


@pytest.mark.parametrize("hours", [3, 34, 1000])
@pytest.mark.parametrize("points", [9, 18])
def test_times_of_a_long_sound_do_not_run_together(picture: QImage, hours: int, points: int) -> None:
    painter = QPainter(picture)
    font = painter.font()
    font.setPointSize(points)
    painter.setFont(font)
    shown = TimeRange(hours * 3600 * RATE_HZ, 0, hours * 3600 * RATE_HZ)
    paint_times(painter, QRectF(0, 0, AXIS_WIDTH, AXIS_HEIGHT), shown, RATE_HZ, "black")
    widest_digit = painter.fontMetrics().horizontalAdvance("0")
    painter.end()
    columns = inked_columns(picture, AXIS_HEIGHT, picture.height())
    starts = [x for x in columns if not set(range(x - 2 * widest_digit, x)) & set(columns)]
    spacing = seconds_per_label(shown, RATE_HZ, AXIS_WIDTH, QFontMetrics(font))
    assert len(starts) == (hours * 3600 - 1) // spacing >= 1


def test_a_day_of_sentences_is_drawn_as_fast_as_a_minute(picture: QImage) -> None:
    """Only marked sentences are read."""

    class Counted(list[int]):
        looked_at = 0

        def __getitem__(self, number: SupportsIndex | slice) -> Any:
            self.looked_at += 1
            return super().__getitem__(number)

    sentences = Counted(range(0, 86_400 * RATE_HZ, 3 * RATE_HZ))
    places = marked(picture, TimeRange(86_400 * RATE_HZ, 0, 86_400 * RATE_HZ), sentences)
    assert 40 < len(places) < AXIS_WIDTH / MARK_PIXELS
    assert sentences.looked_at < 40 * len(places)


NOISE = np.random.default_rng(1).uniform(-1, 1, 300_000).astype(np.float32)


def filled(signal: np.ndarray, piece: int) -> PeakPyramid:
    pyramid = PeakPyramid()
    for start in range(0, len(signal), piece):
        pyramid.append(signal[start : start + piece])
    return pyramid


@given(lengths=st.lists(st.integers(0, 700), max_size=20), columns=st.integers(1, 50))
def test_every_covered_sample_lies_in_its_column(lengths: list[int], columns: int) -> None:
    signal = NOISE[: sum(lengths)]
    pyramid, start = PeakPyramid(), 0
    for length in lengths:
        pyramid.append(signal[start : start + length])
        start += length
    covered = pyramid.covered_samples
    assert len(signal) - covered < FINEST_BIN_SAMPLES
    peaks = pyramid.peaks(0, len(signal), columns)
    column = np.minimum((np.arange(covered) / max(len(signal) / columns, 1)).astype(int), columns - 1)
    assert (signal[:covered] >= peaks.lowest[column]).all()
    assert (signal[:covered] <= peaks.highest[column]).all()


@pytest.mark.parametrize("columns", [1, 4, 37, 73])
def test_columns_that_fall_on_bins_are_exact(columns: int) -> None:
    width = FINEST_BIN_SAMPLES * 8**2
    signal = NOISE[: columns * width]
    peaks = filled(signal, 1234).peaks(0, len(signal), columns)
    np.testing.assert_array_equal(peaks.lowest, signal.reshape(columns, width).min(axis=1))
    np.testing.assert_array_equal(peaks.highest, signal.reshape(columns, width).max(axis=1))


def test_the_part_that_is_not_there_yet_is_flat() -> None:
    peaks = filled(NOISE[:6400], 6400).peaks(0, 12_800, 100)
    assert (peaks.highest[:50] > 0).all()
    assert not peaks.highest[50:].any()
    assert not peaks.lowest[50:].any()


def test_nothing_is_flat() -> None:
    assert not PeakPyramid().peaks(0, 0, 10).highest.any()


@pytest.mark.parametrize("count", [0, 63, 64, 100_000, 131_072, 299_999, 300_000])
def test_samples_that_are_cut_off_leave_no_trace(count: int) -> None:
    pyramid = filled(NOISE, 10_000)
    covered = pyramid.cut(count)
    assert count - FINEST_BIN_SAMPLES < covered <= count
    pyramid.append(NOISE[covered:count])
    pyramid.append(NOISE[:5000])
    anew = filled(np.concatenate([NOISE[:count], NOISE[:5000]]), 10_000)
    for columns in (10, 100, 1000):
        cut, expected = (each.peaks(0, count + 5000, columns) for each in (pyramid, anew))
        np.testing.assert_array_equal(cut.lowest, expected.lowest)
        np.testing.assert_array_equal(cut.highest, expected.highest)


@pytest.mark.parametrize("columns", [1, 7, 40])
@pytest.mark.parametrize("offset", [0, 5_000, 21_000])
def test_joined_signals_are_like_one_with_silence_in_between(columns: int, offset: int) -> None:
    parts = NOISE[: 70 * FINEST_BIN_SAMPLES], NOISE[: 90 * FINEST_BIN_SAMPLES] / 2
    silence = np.zeros(20_001, np.float32)
    signal = np.concatenate([parts[0], silence, parts[1]])
    second = len(parts[0]) + len(silence)
    joined = JoinedPeaks(((0, filled(parts[0], 1000)), (second, filled(parts[1], 1000))))
    assert joined.covered_samples == len(signal)
    peaks = joined.peaks(offset, len(signal), columns)
    rest = signal[offset:]
    column = np.minimum((np.arange(len(rest)) / max(len(rest) / columns, 1)).astype(int), columns - 1)
    assert (rest >= peaks.lowest[column]).all()
    assert (rest <= peaks.highest[column]).all()
    assert not joined.peaks(len(parts[0]) + 600, second - 600, 40).highest.any()


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
    found = PART.magnified(times, sample, min_length=20)
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


def test_the_view_stays_at_a_scrolled_position_until_asked_to_follow(zoom: WaveformZoom) -> None:
    zoom.zoom(10, 0)
    zoom.scroll(-50)
    place = zoom.shown
    assert place.start == 5000
    zoom.move_playhead(1500)
    assert zoom.shown == place
    zoom.zoom_in()  # around the middle of the view
    assert zoom.shown.contains(5500)
    zoom.follow_playback(1500)
    assert zoom.shown.contains(1500)
    zoom.scroll_to(5000)
    zoom.scroll_to(1400)  # the playhead is in view again
    zoom.move_playhead(8000)
    assert zoom.shown.contains(8000)


def test_a_new_sound_is_shown_whole(zoom: WaveformZoom) -> None:
    zoom.zoom(10, 0)
    zoom.scroll_to(5000)
    zoom.show_all()
    zoom.fit(200, SHORTEST)
    assert zoom.shown == TimeRange(200, 0, 200)
    zoom.zoom_in()
    assert zoom.shown.whole  # the sound is shorter than the shortest part
