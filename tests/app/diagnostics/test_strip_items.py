from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import error_table
from app.diagnostics.plain_plot import PlainPlot
from app.diagnostics.signals import envelope
from app.diagnostics.strip_items import CellRow, CellsItem, StripItem, WaveItem, WordsItem
from app.diagnostics.utterance_clock import Word
from app.theme import DARK, LIGHT

WIDTH, HEIGHT = 800, 200


def painted(qtbot: QtBot, item: StripItem, height: float, prepare: Callable[[], None]) -> QImage:
    """The item's own area as it is painted."""
    plot = PlainPlot(shows_time=False)
    qtbot.addWidget(plot)
    plot.resize(WIDTH, HEIGHT)
    plot.set_colours(LIGHT)
    plot.left.setWidth(0)
    plot.view.setYRange(0, height, padding=0)
    plot.view.invertY(True)
    plot.show_seconds(1.0)
    plot.add(item)
    item.set_seconds(1.0)
    prepare()
    plot.show()
    qtbot.waitExposed(plot)
    return plot.grab().toImage()


def colour_at(image: QImage, x: float, y: float) -> str:
    return image.pixelColor(int(x * (image.width() - 10)) + 1, int(y * image.height())).name()


def ground(colour: list[int]) -> str:
    return QColor(*colour).name()


def test_every_cell_has_the_colour_of_its_error(qtbot: QtBot) -> None:
    cells = CellsItem(0, 2)
    rows = [CellRow(np.array([0, 0.5, 1.0]), np.array([0.0, 100.0])), None]
    image = painted(qtbot, cells, 2, lambda: cells.show_rows(rows))
    table = error_table(LIGHT).tolist()
    assert colour_at(image, 0.25, 0.25) == ground(table[0])
    assert colour_at(image, 0.75, 0.25) == ground(table[-1])
    assert colour_at(image, 0.5, 0.75) == LIGHT.window


def test_unequal_cells_lie_where_they_belong(qtbot: QtBot) -> None:
    cells = CellsItem(0, 1)
    row = CellRow(np.array([0, 0.1, 0.9, 1.0]), np.array([0.0, 100.0, 0.0]))
    image = painted(qtbot, cells, 1, lambda: cells.show_rows([row]))
    table = error_table(LIGHT).tolist()
    assert [colour_at(image, x, 0.5) for x in (0.05, 0.2, 0.8, 0.95)] == [
        ground(table[step]) for step in (0, -1, -1, 0)
    ]


def test_another_theme_colours_the_cells_anew(qtbot: QtBot) -> None:
    cells = CellsItem(0, 1)
    row = CellRow(np.array([0, 1.0]), np.array([100.0]))

    def prepare() -> None:
        cells.show_rows([row])
        cells.set_colours(DARK)

    assert colour_at(painted(qtbot, cells, 1, prepare), 0.5, 0.5) == ground(error_table(DARK).tolist()[-1])


def test_a_marked_row_is_framed(qtbot: QtBot) -> None:
    cells = CellsItem(0, 2)
    image = painted(qtbot, cells, 2, lambda: cells.mark(1))
    frame = {image.pixelColor(WIDTH // 2, y).name() for y in range(HEIGHT)}
    assert LIGHT.accent in frame


def test_a_row_may_say_words_instead(qtbot: QtBot) -> None:
    cells = CellsItem(0, 1)
    row = CellRow(np.zeros(2), np.zeros(0), "crashed")
    image = painted(qtbot, cells, 1, lambda: cells.show_rows([row]))
    middle = {image.pixelColor(x, y).name() for x in range(360, 440) for y in range(80, 120)}
    assert len(middle) > 3
    assert row.error_at(0.5) is None


@pytest.mark.parametrize(("seconds", "error"), [(0, 1), (0.05, 1), (0.1, 2), (0.95, 3), (1, 3), (5, 3)])
def test_the_error_of_a_moment(seconds: float, error: float) -> None:
    assert CellRow(np.array([0, 0.1, 0.9, 1.0]), np.array([1.0, 2.0, 3.0])).error_at(seconds) == error


def test_the_waveform_fills_its_row(qtbot: QtBot) -> None:
    wave = WaveItem(0, 1)
    samples = np.concatenate([np.zeros(500), np.tile([0.5, -0.5], 250)]).astype(np.float32)
    image = painted(qtbot, wave, 1, lambda: wave.show_envelope(envelope(samples, 0, 1000, 100), 1000))
    assert colour_at(image, 0.25, 0.1) == LIGHT.surface
    assert colour_at(image, 0.75, 0.1) == colour_at(image, 0.75, 0.9) == LIGHT.wave


def test_words_stand_where_they_are_spoken(qtbot: QtBot) -> None:
    words = WordsItem(0, 1)
    spoken = (Word("window", 0.1, 0.4), Word("is", 0.5, 0.505))
    image = painted(qtbot, words, 1, lambda: words.show_words(spoken))

    def inked(left: float, right: float) -> bool:
        columns = range(int(left * WIDTH), int(right * WIDTH))
        return any(image.pixelColor(x, y).lightness() < 80 for x in columns for y in range(HEIGHT))

    assert inked(0.15, 0.35)
    assert not inked(0.42, 0.6)
