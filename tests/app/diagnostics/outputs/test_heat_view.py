import numpy as np
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import Scale, table_of
from app.diagnostics.outputs.pictures import HeatPane, HeatPicture
from app.diagnostics.outputs.signal_view import HeatView
from app.diagnostics.outputs.time_pane import LEFT_PIXELS
from app.theme import Appearance, Theme, colours

QUARTERS = np.array([[0, 255], [128, 0]], np.uint8)
PICTURE = HeatPicture(
    (
        HeatPane("Compiled", QUARTERS, Scale.VALUES),
        HeatPane("PyTorch", QUARTERS, Scale.VALUES),
        HeatPane("Difference", QUARTERS, Scale.ERRORS),
    ),
    0.0,
    1.0,
    "2 channels",
)


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> HeatView:
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
    return image.pixelColor(LEFT_PIXELS + int(x * (image.width() - LEFT_PIXELS - 8)), int(y * height)).name()


def expected(scale: Scale, step: int) -> str:
    return QColor(*table_of(scale)[step].tolist()).name()


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_every_value_has_its_colour_and_place(view: HeatView, theme: Theme, appearance: Appearance) -> None:
    view.show_picture(PICTURE)
    theme.choose(appearance)
    values, errors = Scale.VALUES, Scale.ERRORS
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
    assert colour_at(view, 1, 0.2, 0.8) == colours().surface
    assert colour_at(view, 1, 0.6, 0.8) == expected(Scale.VALUES, 0)


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_both_sides_of_a_spectrogram_have_hues_of_their_own_and_frequencies_at_the_side(
    view: HeatView, theme: Theme, appearance: Appearance
) -> None:
    sides = (HeatPane("Compiled", QUARTERS, Scale.OURS), HeatPane("PyTorch", QUARTERS, Scale.REFERENCE))
    theme.choose(appearance)
    view.show_picture(HeatPicture((*sides, PICTURE.panes[2]), 0.0, 1.0, "mel to 12 kHz", ((0.5, "2k"),)))
    assert colour_at(view, 0, 0.8, 0.8) == expected(Scale.OURS, 255)
    assert colour_at(view, 1, 0.8, 0.8) == expected(Scale.REFERENCE, 255)
    loud = [QColor(expected(scale, 128)) for scale in (Scale.OURS, Scale.REFERENCE)]
    assert loud[0].blue() > loud[0].red()
    assert loud[1].red() > loud[1].blue()
    assert view.panes[0].left._tickLevels == [[(0.5, "2k")]]


def test_names_of_heights_give_way_where_there_is_no_room(view: HeatView) -> None:
    ticks = ((0.01, "low"), (0.3, "a"), (0.35, "b"), (0.8, "c"), (0.99, "high"))
    view.show_picture(HeatPicture(PICTURE.panes, 0.0, 1.0, "", ticks))
    assert [name for _, name in view.panes[0].left._tickLevels[0]] == ["a", "c"]
    view.resize(400, 1600)
    assert [name for _, name in view.panes[0].left._tickLevels[0]] == ["a", "b", "c"]
