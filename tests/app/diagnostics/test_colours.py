from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.diagnostics.colours import (
    ERROR_TICKS,
    STEPS,
    PlainSelection,
    coloured,
    error_positions,
    error_table,
    is_light,
    steps_of,
    value_table,
    verdict_colour,
)
from app.theme import DARK, LIGHT, Colours
from engine.validator.data.results import Verdict
from tests.app.test_theme import READABLE, contrast, luminance


@given(st.lists(st.floats(0, 1e6), min_size=2))
def test_larger_errors_lie_higher(errors: list[float]) -> None:
    positions = error_positions(np.array(sorted(errors)))
    assert np.all(np.diff(positions) >= 0)
    assert positions.min() >= 0
    assert positions.max() <= 1


def test_what_is_no_number_is_the_largest() -> None:
    assert error_positions(np.array([np.nan, np.inf])).tolist() == [1, 1]


def test_ticks_are_inside_the_scale() -> None:
    positions = error_positions(np.array(ERROR_TICKS))
    assert 0 < positions[0] < positions[-1] < 1


@pytest.mark.parametrize(("colours", "darker"), [(LIGHT, True), (DARK, False)], ids=["light", "dark"])
def test_larger_errors_are_told_apart_without_colour(colours: Colours, darker: bool) -> None:
    lights = [luminance(QColor(*rgba)) for rgba in error_table(colours).tolist()]
    steps = np.diff(lights[:: STEPS // 8])
    assert np.all(steps < 0 if darker else steps > 0)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_both_signs_of_a_value_differ_from_nothing(colours: Colours) -> None:
    table = value_table(colours).astype(int)
    nothing = table[STEPS // 2]
    for end in (table[0], table[-1]):
        assert np.abs(end - nothing).sum() > 100
    assert np.abs(table[0] - table[-1]).sum() > 100


def test_positions_become_colours() -> None:
    table = error_table(LIGHT)
    pixels = coloured(steps_of(np.array([[-1.0, 0.0, 1.0, 7.0]])), table)
    assert pixels.shape == (1, 4, 4)
    assert pixels[0].tolist() == [table[0].tolist(), table[0].tolist(), table[-1].tolist(), table[-1].tolist()]


def test_light_is_told_from_dark() -> None:
    assert is_light(LIGHT)
    assert not is_light(DARK)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_verdict_can_be_read_on_any_ground(colours: Colours) -> None:
    for verdict in Verdict:
        assert contrast(verdict_colour(verdict, colours), colours.surface) >= READABLE - 0.4


def test_good_and_bad_differ() -> None:
    assert verdict_colour(Verdict.PASS, LIGHT) != verdict_colour(Verdict.FAIL, LIGHT)
    assert verdict_colour(Verdict.CRASHED, LIGHT) == verdict_colour(Verdict.FAIL, LIGHT)


def test_selected_items_keep_their_colour(qtbot: QtBot) -> None:
    items, delegate = QListWidget(), PlainSelection()
    qtbot.addWidget(items)
    items.addItems(["plain", "red"])
    red = items.item(1)
    assert isinstance(red, QListWidgetItem)
    red.setForeground(QColor("#ff0000"))
    option = QStyleOptionViewItem()
    option.palette = items.palette()
    delegate.initStyleOption(option, items.model().index(1, 0))
    assert option.palette.color(QPalette.ColorRole.HighlightedText).name() == "#ff0000"
    delegate.initStyleOption(option, items.model().index(0, 0))
    text = option.palette.color(QPalette.ColorRole.WindowText)
    assert option.palette.color(QPalette.ColorRole.HighlightedText) == text
