import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.audio.time_range import TimeRange
from app.audio.waveform_axis import AXIS_HEIGHT_PIXELS, MARK_PIXELS, paint_sentences, paint_times, seconds_per_label

WIDTH, HEIGHT, RATE_HZ = 500, 80, 1000


@pytest.fixture
def picture(qtbot: QtBot) -> QImage:
    picture = QImage(WIDTH, HEIGHT + AXIS_HEIGHT_PIXELS, QImage.Format.Format_RGB32)
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
    assert seconds_per_label(shown, RATE_HZ, WIDTH) == 1
    paint_times(painter, QRectF(0, 0, WIDTH, HEIGHT), shown, RATE_HZ, "black")
    painter.end()
    columns = inked_columns(picture, HEIGHT, HEIGHT + AXIS_HEIGHT_PIXELS)
    assert columns
    assert all(min(abs(x - 125), abs(x - 375)) < 30 for x in columns)
