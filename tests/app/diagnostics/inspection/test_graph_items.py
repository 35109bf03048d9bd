import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QGraphicsSimpleTextItem
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import error_table
from app.diagnostics.inspection.graph_items import (
    WIDEST_PIXELS,
    BoxItem,
    BoxLook,
    box_size,
    edge_heads,
    edge_lines,
    ink_on,
    luminance,
    number_of,
)
from app.diagnostics.inspection.layout import Layout
from app.theme import DARK, LIGHT, Colours

LAYOUT = Layout(((0, 0), (0, 100)), (((0, 20), (0, 80)),), 10.0, 120.0)
LOOK = BoxLook(("conv1d", "a.b", "✓ 1 × floor"), "#ffffff", "#000000", 1.0, Qt.PenStyle.SolidLine)


def item(qtbot: QtBot) -> BoxItem:
    return BoxItem(3, (100, 50), QSizeF(120, 60), QFont())


def texts(box: BoxItem) -> list[str]:
    return [child.text() for child in box.childItems() if isinstance(child, QGraphicsSimpleTextItem)]


def test_a_box_is_where_the_layout_puts_it_and_shows_its_lines(qtbot: QtBot) -> None:
    box = item(qtbot)
    box.show_look(LOOK)
    assert box.area.center().toTuple() == (100, 50)
    assert texts(box) == list(LOOK.lines)
    assert all(box.area.contains(child.sceneBoundingRect().center()) for child in box.childItems())


def test_a_box_and_its_text_lead_to_its_number(qtbot: QtBot) -> None:
    box = item(qtbot)
    box.show_look(LOOK)
    assert [number_of(each) for each in (box, *box.childItems(), None)] == [3, 3, 3, 3, None]


def test_another_look_replaces_the_first(qtbot: QtBot) -> None:
    box = item(qtbot)
    box.show_look(LOOK)
    other = BoxLook(("conv1d", "a.b", "✗ 9 × floor"), "#101010", "#ff0000", 3.0, Qt.PenStyle.DashLine)
    box.show_look(other)
    assert texts(box) == list(other.lines)
    assert box.pen().style() is Qt.PenStyle.DashLine
    assert box.pen().widthF() == 3.0


def test_a_folded_box_stands_out_by_its_outline(qtbot: QtBot) -> None:
    plain, folded = item(qtbot), item(qtbot)
    plain.show_look(LOOK)
    folded.show_look(BoxLook(*list(vars(LOOK).values())[:-1], folded=True))
    assert folded.path().boundingRect().width() > plain.path().boundingRect().width()


def test_a_box_is_as_wide_as_its_text_within_bounds(qtbot: QtBot) -> None:
    font = QFont()
    narrow, wide = box_size(("a",), font), box_size(("a" * 200, "b"), font)
    assert narrow.width() < wide.width() == WIDEST_PIXELS
    assert wide.height() > narrow.height()


def test_edges_have_lines_and_heads_at_their_ends(qtbot: QtBot) -> None:
    assert edge_lines(LAYOUT, [0]).boundingRect().getRect() == (0, 20, 0, 60)
    head = edge_heads(LAYOUT, [0]).boundingRect()
    assert head.bottom() == 80
    assert 0 < head.height() < 20
    assert edge_lines(LAYOUT, []).isEmpty()


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_can_be_read_on_every_error_colour(colours: Colours) -> None:
    for entry in error_table(colours).tolist():
        fill = QColor(*entry)
        assert _contrast(fill, QColor(ink_on(fill.name()))) >= 4.5, fill.name()


def _contrast(one: QColor, other: QColor) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_luminance_is_that_of_the_standard() -> None:
    assert luminance(QColor("#ffffff")) == 1.0
    assert luminance(QColor("#000000")) == 0.0
    assert luminance(QColor("#777777")) == pytest.approx(0.1845, abs=1e-3)
