from collections.abc import Callable
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.theme import Appearance, Theme, colors
from app.widgets.two_line_list import ListRow, RowOf, TwoLineList, TwoLineModel


@dataclass(frozen=True)
class Thing:
    number: int


def row_of(thing: Thing) -> ListRow:
    symbol = ("star", "Starred") if thing.number % 2 else ("", "")
    return ListRow(f"Title {thing.number}", "Details", *symbol, fault=thing.number == 2)


@pytest.fixture
def list_of(qtbot: QtBot) -> Callable[[RowOf], TwoLineList]:
    def make(row_of: RowOf) -> TwoLineList:
        rows = TwoLineList("Things", row_of)
        qtbot.addWidget(rows)
        rows.resize(240, 300)
        rows.show()
        return rows

    return make


@pytest.fixture
def rows(list_of: Callable[[RowOf], TwoLineList]) -> TwoLineList:
    return list_of(row_of)


def test_it_is_a_proper_model(qtmodeltester: ModelTester) -> None:
    model = TwoLineModel(row_of)
    model.show([Thing(1), Thing(2)])
    qtmodeltester.check(model, force_py=True)


def test_a_screen_reader_hears_all_of_a_row(rows: TwoLineList) -> None:
    rows.show_things([Thing(1), Thing(2)])
    words = [rows.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(2)]
    assert words == ["Title 1. Starred. Details", "Title 2. Details"]


def test_the_current_thing_stays_current_wherever_it_goes(rows: TwoLineList) -> None:
    rows.show_things([Thing(1), Thing(2), Thing(3)])
    rows.setCurrentIndex(rows.model().index(1, 0))
    rows.show_things([Thing(4), Thing(3), Thing(2), Thing(1)])
    assert rows.current == Thing(2)
    rows.show_things([Thing(4), Thing(3), Thing(1)])
    assert rows.current == Thing(1)
    rows.show_things([])
    assert rows.current is None


def test_return_and_a_double_click_pick(rows: TwoLineList, qtbot: QtBot) -> None:
    rows.show_things([Thing(1), Thing(2)])
    picked: list[object] = []
    rows.picked.connect(picked.append)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    rows.setCurrentIndex(rows.model().index(0, 0))
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    place = rows.visualRect(rows.model().index(1, 0)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked == [Thing(1), Thing(2)]


def show_without_the_first(rows: TwoLineList, count: int) -> None:
    """Show `count` items, scrolled near the end, and then all but the first."""
    things = [Thing(number) for number in range(count)]
    rows.show_things(things)
    rows.setCurrentIndex(rows.model().index(count - 10, 0))
    rows.show_things(things[1:])
    rows.grab()
    assert rows.current == Thing(count - 10)


def test_ten_thousand_entries_create_no_more_rows_than_a_hundred(
    list_of: Callable[[RowOf], TwoLineList],
) -> None:
    made: list[Thing] = []

    def noted_row_of(thing: Thing) -> ListRow:
        made.append(thing)
        return row_of(thing)

    rows = list_of(noted_row_of)
    show_without_the_first(rows, 100)
    of_a_hundred = len(made)
    show_without_the_first(rows, 10_000)
    assert 0 < len(made) - of_a_hundred <= of_a_hundred


def test_rows_are_drawn_in_the_colors_of_the_theme(rows: TwoLineList, theme: Theme) -> None:
    rows.show_things([Thing(1), Thing(2)])

    def drawn() -> set[str]:
        image: QImage = rows.viewport().grab().toImage()
        return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}

    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        assert colors().accent in drawn()
