from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import Scale, table_of
from app.diagnostics.outputs.pictures import envelope
from app.diagnostics.stages.strip import CellRow, Strip
from app.diagnostics.stages.strip_painter import StripPainter
from app.diagnostics.stages.utterance_clock import Word
from app.theme import LIGHT, Appearance, Theme

WIDTH, HEIGHT = 800, 40
AREA = QRectF(0, 0, WIDTH, HEIGHT)
LEAST, MOST = (QColor(*table_of(Scale.ERRORS)[step].tolist()).name() for step in (0, -1))


@pytest.fixture
def strip(qtbot: QtBot) -> Strip:
    strip = Strip()
    strip.scale.show_length(1.0)
    strip.rows = (CellRow(np.array([0, 0.5, 1.0]), np.array([0.0, 100.0])), *strip.rows[1:])
    return strip


@pytest.fixture
def painter(strip: Strip) -> StripPainter:
    return StripPainter(strip)


def painted(draw: Callable[[QPainter, QRectF], None]) -> QImage:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as onto:
        draw(onto, AREA)
    return image


def cells(painter: StripPainter, stage: str = "bert") -> QImage:
    return painted(lambda onto, area: painter.draw_cells(onto, area, stage))


def at(image: QImage, share: float, y: int = HEIGHT // 2) -> str:
    return image.pixelColor(int(share * (WIDTH - 1)), y).name()


def test_every_cell_has_the_colour_of_its_error(painter: StripPainter) -> None:
    image = cells(painter)
    assert [at(image, share) for share in (0.25, 0.75)] == [LEAST, MOST]
    assert at(cells(painter, "istft"), 0.5) == LIGHT.window


def test_zooming_shows_a_part(painter: StripPainter, strip: Strip) -> None:
    strip.scale.zoom(0.5, 1.0)
    assert {at(cells(painter), share) for share in (0.05, 0.5, 0.95)} == {MOST}
    strip.scale.move(-0.25)
    assert [at(cells(painter), share) for share in (0.4, 0.6)] == [LEAST, MOST]


def test_another_theme_colours_the_cells_anew(painter: StripPainter, theme: Theme) -> None:
    cells(painter)
    theme.choose(Appearance.DARK)
    assert at(cells(painter), 0.75) == QColor(*table_of(Scale.ERRORS)[-1].tolist()).name() != MOST


def test_a_row_may_say_words_instead(painter: StripPainter, strip: Strip) -> None:
    strip.rows = (CellRow(np.zeros(2), np.zeros(0), "crashed"), *strip.rows[1:])
    image = cells(painter)
    middle = {image.pixelColor(x, y).name() for x in range(360, 440) for y in range(10, 30)}
    assert len(middle) > 3


def test_the_waveform_fills_its_height(painter: StripPainter, strip: Strip) -> None:
    samples = np.concatenate([np.zeros(500), np.tile([0.5, -0.5], 250)]).astype(np.float32)
    strip.wave, strip.wave_rate_hz = envelope(samples, 0, 1000, 100), 1000
    image = painted(painter.draw_wave)
    assert at(image, 0.25, 4) == "#ffffff"
    assert at(image, 0.75, 4) == at(image, 0.75, HEIGHT - 4) == LIGHT.wave
    strip.wave = envelope(samples[::-1].copy(), 0, 1000, 100)
    assert at(painted(painter.draw_wave), 0.25, 4) == LIGHT.wave


def test_words_stand_where_they_are_spoken(painter: StripPainter, strip: Strip) -> None:
    strip.words = (Word("window", 0.1, 0.4), Word("is", 0.5, 0.505))
    image = painted(painter.draw_words)

    def inked(left: float, right: float) -> bool:
        columns = range(int(left * WIDTH), int(right * WIDTH))
        return any(image.pixelColor(x, y).lightness() < 80 for x in columns for y in range(HEIGHT))

    assert inked(0.15, 0.35)
    assert not inked(0.42, 0.6)


def test_lines_outside_what_is_in_view_are_not_drawn(painter: StripPainter, strip: Strip) -> None:
    strip.cursor, strip.playhead = 0.25, 0.75
    image = painted(painter.draw_lines)
    assert all(at(image, 0.75, y) == LIGHT.accent for y in range(1, HEIGHT - 1))
    dashes = [at(image, 0.25, y) == LIGHT.accent for y in range(1, HEIGHT - 1)]
    assert any(dashes)
    assert not all(dashes)
    strip.scale.zoom(0.2, 0.5)
    assert painted(painter.draw_lines) == painted(lambda onto, area: None)
