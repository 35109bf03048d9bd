import numpy as np
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import error_table, value_table
from app.diagnostics.heat_view import LEFT_PIXELS, HeatView
from app.diagnostics.pictures import HeatPane, HeatPicture
from app.theme import DARK, LIGHT, Colours

QUARTERS = np.array([[0, 255], [128, 0]], np.uint8)
PICTURE = HeatPicture(
    (
        HeatPane("Compiled", QUARTERS, False),
        HeatPane("PyTorch", QUARTERS, False),
        HeatPane("Difference", QUARTERS, True),
    ),
    0.0,
    1.0,
    "2 channels",
)


@pytest.fixture
def view(qtbot: QtBot) -> HeatView:
    view = HeatView()
    qtbot.addWidget(view)
    view.resize(400, 400)
    view.show()
    qtbot.waitExposed(view)
    view.show_length(1.0)
    return view


def colour_at(view: HeatView, pane: int, x: float, y: float) -> str:
    image = view.panes[pane].grab().toImage()
    height = view.panes[pane].view.height()
    return image.pixelColor(LEFT_PIXELS + int(x * (image.width() - 14)), int(y * height)).name()


def expected(table: np.ndarray, step: int) -> str:
    return QColor(*table[step].tolist()).name()


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_value_has_its_colour_and_place(view: HeatView, colours: Colours) -> None:
    view.show_picture(PICTURE)
    view.set_colours(colours)
    values, errors = value_table(colours), error_table(colours)
    assert colour_at(view, 0, 0.8, 0.8) == expected(values, 255)
    assert colour_at(view, 1, 0.2, 0.8) == expected(values, 0)
    assert colour_at(view, 1, 0.8, 0.3) == expected(values, 0)
    assert colour_at(view, 2, 0.8, 0.8) == expected(errors, 255)
    assert colour_at(view, 2, 0.2, 0.4) == expected(errors, 128)


def test_titles_say_what_it_is(view: HeatView) -> None:
    view.show_picture(PICTURE)
    said = [pane.accessibleDescription() for pane in view.panes]
    assert said == ["Compiled · 2 channels", "PyTorch", "Difference"]


def test_a_part_lies_at_its_time(view: HeatView) -> None:
    view.show_picture(HeatPicture(PICTURE.panes, 0.5, 1.0, ""))
    assert colour_at(view, 1, 0.2, 0.8) == LIGHT.surface
    assert colour_at(view, 1, 0.6, 0.8) == expected(value_table(LIGHT), 0)
