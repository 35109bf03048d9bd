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


def test_bars_only_move_when_another_part_is_shown(qtbot: QtBot) -> None:
    """Each stands for the same samples wherever it is, as high as before: the loudest part need not be in view."""
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


def test_a_part_shows_its_own_samples_and_what_was_heard_of_it(qtbot: QtBot) -> None:
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
    assert LIGHT.accent in colours_between(image, 105, 145)
    assert LIGHT.accent not in colours_between(image, 155, WIDTH)
    item.set_position(1000)
    assert LIGHT.accent not in colours_between(painted(item), 0, WIDTH)
