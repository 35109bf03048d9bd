from typing import Any, SupportsIndex

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.time_range import TimeRange
from app.audio.waveform_item import MARK_PIXELS, axis_height, paint_sentences, paint_times, seconds_per_label

WIDTH, HEIGHT, RATE_HZ = 500, 80, 1000


@pytest.fixture
def picture(qtbot: QtBot) -> QImage:
    picture = QImage(WIDTH, HEIGHT + axis_height(QFontMetrics(QApplication.font())), QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    return picture


def inked_columns(picture: QImage, top: int, bottom: int) -> list[int]:
    def inked(x: int) -> bool:
        return any(picture.pixelColor(x, y).lightness() < 128 for y in range(top, bottom))

    return [x for x in range(picture.width()) if inked(x)]


def marked(picture: QImage, shown: TimeRange, sentences: list[int]) -> list[int]:
    """Where marks begin."""
    painter = QPainter(picture)
    paint_sentences(painter, QRectF(0, 0, WIDTH, HEIGHT), shown, sentences, "black")
    painter.end()
    columns = inked_columns(picture, 0, round(MARK_PIXELS))
    return [x for x in columns if x - 1 not in columns]


def test_sentences_in_view_have_a_mark(picture: QImage) -> None:
    places = marked(picture, TimeRange(10_000, 2000, 1000), [0, 1999, 2100, 2500, 2999, 3000, 9000])
    assert places == pytest.approx([50, 250, 499], abs=3)


def test_marks_do_not_run_together(picture: QImage) -> None:
    places = marked(picture, TimeRange(10_000, 0, 10_000), list(range(0, 10_000, 30)))
    assert 40 < len(places) < WIDTH / MARK_PIXELS


def test_times_belong_to_the_part_that_is_shown(picture: QImage) -> None:
    painter = QPainter(picture)
    shown = TimeRange(60_000, 30_500, 2000)
    assert seconds_per_label(shown, RATE_HZ, WIDTH, painter.fontMetrics()) == 1
    paint_times(painter, QRectF(0, 0, WIDTH, HEIGHT), shown, RATE_HZ, "black")
    painter.end()
    columns = inked_columns(picture, HEIGHT, picture.height())
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
    paint_times(painter, QRectF(0, 0, WIDTH, HEIGHT), shown, RATE_HZ, "black")
    widest_digit = painter.fontMetrics().horizontalAdvance("0")
    painter.end()
    columns = inked_columns(picture, HEIGHT, picture.height())
    starts = [x for x in columns if not set(range(x - 2 * widest_digit, x)) & set(columns)]
    spacing = seconds_per_label(shown, RATE_HZ, WIDTH, QFontMetrics(font))
    assert len(starts) == (hours * 3600 - 1) // spacing >= 1


def test_a_day_of_sentences_is_drawn_as_fast_as_a_minute(picture: QImage) -> None:
    """Only those that have a mark are looked at."""

    class Counted(list[int]):
        looked_at = 0

        def __getitem__(self, number: SupportsIndex | slice) -> Any:
            self.looked_at += 1
            return super().__getitem__(number)

    sentences = Counted(range(0, 86_400 * RATE_HZ, 3 * RATE_HZ))
    places = marked(picture, TimeRange(86_400 * RATE_HZ, 0, 86_400 * RATE_HZ), sentences)
    assert 40 < len(places) < WIDTH / MARK_PIXELS
    assert sentences.looked_at < 40 * len(places)
