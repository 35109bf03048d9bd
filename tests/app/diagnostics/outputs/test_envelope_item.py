import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import Tone
from app.diagnostics.outputs.pictures import envelope
from app.diagnostics.outputs.signal_view import EnvelopeItem
from app.diagnostics.outputs.time_pane import TimePane
from app.theme import LIGHT

INK = LIGHT.error


def painted(qtbot: QtBot, signal: np.ndarray, columns: int) -> QImage:
    """One second of a signal, from -1 below to 1 above."""
    plot, item = TimePane("A signal"), EnvelopeItem(Tone.ERROR, 2.0)
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    plot.left.setWidth(0)
    plot.show_seconds(1.0)
    plot.view.setYRange(-1, 1, padding=0)
    plot.add(item)
    item.show_envelope(envelope(signal, 0, len(signal), columns), len(signal))
    plot.show()
    qtbot.waitExposed(plot)
    return plot.grab().toImage()


def inked(image: QImage, x: float, y: float) -> bool:
    """Whether there is ink near a place."""
    across, down = x * (image.width() - 6), (1 - y) / 2 * image.height()
    near = [(int(across) + dx, int(down) + dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    return any(image.pixelColor(*place).name() == INK for place in near)


def test_few_values_are_a_line(qtbot: QtBot) -> None:
    image = painted(qtbot, np.linspace(-1, 1, 100), 1000)
    assert all(inked(image, x, 2 * x - 1) for x in (0.25, 0.5, 0.75))
    assert not inked(image, 0.25, 0.5)
    assert not inked(image, 0.75, -0.5)


def test_many_values_are_a_band(qtbot: QtBot) -> None:
    image = painted(qtbot, np.tile([0.5, -0.5], 5000), 300)
    assert all(inked(image, x, y) for x in (0.1, 0.5, 0.9) for y in (-0.45, 0, 0.45))
    assert not inked(image, 0.5, 0.7)


@pytest.mark.parametrize("columns", [1000, 40])
def test_what_is_not_finite_leaves_a_gap(qtbot: QtBot, columns: int) -> None:
    signal = np.tile([0.1, 0.0], 100)
    signal[80:120] = np.nan
    image = painted(qtbot, signal, columns)
    assert inked(image, 0.2, 0.05)
    assert inked(image, 0.8, 0.05)
    assert not inked(image, 0.5, 0.05)


def test_nothing_draws_nothing(qtbot: QtBot) -> None:
    item = EnvelopeItem(Tone.ERROR)
    for shape in (None, envelope(np.zeros(0), 0, 0, 5), envelope(np.full(9, np.inf), 0, 9, 5)):
        item.show_envelope(shape, 10.0)
        assert item.boundingRect().isEmpty()
    image = painted(qtbot, np.full(50, np.nan), 10)
    assert not inked(image, 0.5, 0)


def test_it_covers_its_values() -> None:
    item = EnvelopeItem(Tone.ERROR)
    item.show_envelope(envelope(np.array([3.0, -2.0, 5.0]), 0, 3, 10), 10.0)
    area = item.boundingRect()
    assert (area.left(), area.right()) == pytest.approx((0, 0.2))
    assert (area.top(), area.bottom()) == pytest.approx((-2, 5))
    assert item.times.tolist() == pytest.approx([0, 0.1, 0.2])
