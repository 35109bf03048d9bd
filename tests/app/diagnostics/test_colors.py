from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.diagnostics.colors import (
    STEPS,
    PlainSelection,
    Scale,
    colored,
    error_positions,
    steps_of,
    table_of,
    tone_color,
    verdict_tone,
)
from app.theme import Appearance, Theme, colors
from engine.validator.data.results import Verdict
from tests.app.test_theme import READABLE, contrast, luminance

APPEARANCES = (Appearance.LIGHT, Appearance.DARK)


@given(st.lists(st.floats(0, 1e6), min_size=2))
def test_larger_errors_lie_higher(errors: list[float]) -> None:
    positions = error_positions(np.array(sorted(errors)))
    assert np.all(np.diff(positions) >= 0)
    assert positions.min() >= 0
    assert positions.max() <= 1
    assert error_positions(np.array([np.nan, np.inf])).tolist() == [1, 1]


@pytest.mark.parametrize("appearance", APPEARANCES)
def test_larger_errors_are_distinguishable_without_color(theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    lights = [luminance(QColor(*rgba)) for rgba in table_of(Scale.ERRORS).tolist()]
    steps = np.diff(lights[:: STEPS // 8])
    assert np.all(steps < 0 if appearance is Appearance.LIGHT else steps > 0)


def test_positions_become_colors() -> None:
    table = table_of(Scale.ERRORS)
    pixels = colored(steps_of(np.array([[-1.0, 0.0, 1.0, 7.0]])), Scale.ERRORS)
    assert pixels.shape == (1, 4, 4)
    assert pixels[0].tolist() == [table[0].tolist(), table[0].tolist(), table[-1].tolist(), table[-1].tolist()]


@pytest.mark.parametrize("appearance", APPEARANCES)
def test_every_verdict_can_be_read_on_any_ground(theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    for verdict in Verdict:
        assert contrast(tone_color(verdict_tone(verdict)), colors().surface) >= READABLE - 0.4


def test_selected_items_keep_their_color(qtbot: QtBot) -> None:
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
