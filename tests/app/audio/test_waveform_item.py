import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.audio.peak_pyramid import PeakPyramid
from app.audio.time_range import TimeRange
from app.audio.waveform_item import WaveformItem
from app.theme import LIGHT

WIDTH, HEIGHT = 400, 100


def painted(item: WaveformItem) -> QImage:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    item.paint(painter, QRectF(0, 0, WIDTH, HEIGHT))
    painter.end()
    return image


def colours_between(image: QImage, start: int, end: int) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(start, end) for y in range(HEIGHT)}


def test_heard_and_unheard_and_unmade_look_different(qtbot: QtBot) -> None:
    peaks = PeakPyramid()
    peaks.append(np.sin(np.arange(8000) * 0.1).astype(np.float32))
    item = WaveformItem()
    item.show_peaks(peaks, TimeRange(16_000, 0, 16_000))
    item.set_position(4000)
    image = painted(item)
    heard, unheard, unmade = (colours_between(image, *edges) for edges in ((0, 95), (105, 195), (205, WIDTH)))
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
