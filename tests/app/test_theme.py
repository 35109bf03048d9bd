import sys
from collections.abc import Iterator
from dataclasses import fields

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.theme import DARK, LIGHT, Appearance, Colours, Theme, palette_of, style_sheet, with_system_colours

READABLE = 4.5
"""Contrast that the accessibility guidelines ask for text; half as much is asked for large signs."""


def contrast(first: str, second: str) -> float:
    lights = sorted(luminance(QColor(colour)) for colour in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour: QColor) -> float:
    parts = [colour.redF(), colour.greenF(), colour.blueF()]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ours(colours: Colours) -> tuple[str, ...]:
    """The colours that are no Mac's own."""
    return (colours.good, colours.note, colours.warning, colours.error)


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp)
    yield theme
    theme.choose(Appearance.SYSTEM)
    theme.deleteLater()
    qapp.setStyleSheet("")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(colours: Colours) -> None:
    for ground in (colours.window, colours.surface, colours.highlight):
        assert contrast(colours.text, ground) >= READABLE
    for ground in (colours.window, colours.surface):
        assert contrast(colours.faint, ground) >= READABLE
    assert contrast(colours.on_accent, colours.accent) >= READABLE - 1
    for sign in (colours.good, colours.note, colours.warning, colours.error, colours.accent):
        assert contrast(sign, colours.surface) >= READABLE / 2 + 0.5


@pytest.mark.parametrize("native", [True, False])
def test_every_placeholder_of_the_style_sheet_is_filled(native: bool) -> None:
    sheet = style_sheet(LIGHT, native)
    assert "$" not in sheet
    assert LIGHT.accent in sheet
    assert ("QComboBox" in sheet) is not native


def test_the_style_sheet_is_understood(qapp: QApplication, theme: Theme, caplog: pytest.LogCaptureFixture) -> None:
    theme.refresh()
    assert "parse" not in caplog.text


def test_choosing_changes_the_colours_and_tells(theme: Theme) -> None:
    seen: list[Colours] = []
    theme.changed.connect(seen.append)
    theme.choose(Appearance.DARK)
    assert ours(theme.colours) == ours(DARK)
    theme.choose(Appearance.LIGHT)
    assert ours(theme.colours) == ours(LIGHT)
    assert ours(seen[-1]) == ours(LIGHT)


def test_the_system_is_followed(
    theme: Theme, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ours(theme.colours) == ours(LIGHT)
    monkeypatch.setattr(QStyleHints, "colorScheme", lambda hints: Qt.ColorScheme.Dark)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    qtbot.waitUntil(lambda: ours(theme.colours) == ours(DARK))


@pytest.mark.skipif(sys.platform == "darwin", reason="there, the palette is the system's")
def test_the_palette_follows(theme: Theme, qapp: QApplication) -> None:
    theme.choose(Appearance.DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.window
    assert qapp.palette().color(QPalette.ColorRole.Text).name() == DARK.text


def test_the_systems_accent_is_taken_over() -> None:
    palette = palette_of(LIGHT)
    palette.setColor(QPalette.ColorRole.Accent, QColor("#ff7700"))
    colours = with_system_colours(LIGHT, palette)
    assert colours.accent == "#ff7700"
    assert contrast(colours.text, colours.highlight) >= READABLE


def test_colours_are_written_as_the_style_sheet_needs_them() -> None:
    for colours in (LIGHT, DARK):
        assert all(QColor.isValidColorName(getattr(colours, field.name)) for field in fields(colours))


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
@pytest.mark.parametrize(("kind", "name"), [(QPushButton, "switch"), (QScrollArea, "figuresArea")])
def test_what_has_the_focus_looks_different(
    theme: Theme, qtbot: QtBot, appearance: Appearance, kind: type[QWidget], name: str
) -> None:
    """Even if it is also chosen."""
    if sys.platform == "darwin" and kind is QPushButton:
        pytest.skip("there, the system's own style shows which button has the focus")
    panel = QWidget(objectName="diagnostics")
    qtbot.addWidget(panel)
    widget, other = kind(objectName=name), QLineEdit()
    if isinstance(widget, QPushButton):
        widget.setCheckable(True)
        widget.setChecked(True)
    layout = QVBoxLayout(panel)
    layout.addWidget(widget)
    layout.addWidget(other)
    theme.choose(appearance)
    panel.show()
    panel.activateWindow()
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    without = widget.grab().toImage()
    widget.setFocus()
    assert widget.grab().toImage() != without
