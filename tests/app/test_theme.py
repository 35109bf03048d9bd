import sys
from dataclasses import fields
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.theme import (
    DARK,
    LIGHT,
    Appearance,
    Colors,
    Theme,
    application_icon,
    colors,
    draw_icon,
    icon,
    palette_of,
    style_sheet,
    with_system_colors,
)
from engine.system.paths import resources_folder

READABLE = 4.5
"""The contrast that the accessibility guidelines require for text; large signs need half as much."""


def contrast(first: str, second: str) -> float:
    lights = sorted(luminance(QColor(color)) for color in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(color: QColor) -> float:
    parts = [color.redF(), color.greenF(), color.blueF()]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ours(inks: Colors) -> tuple[str, ...]:
    """Return the colors that are not a Mac's own."""
    return (inks.good, inks.note, inks.warning, inks.error)


@pytest.mark.parametrize("inks", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(inks: Colors) -> None:
    for ground in (inks.window, inks.surface, inks.highlight):
        assert contrast(inks.text, ground) >= READABLE
    for ground in (inks.window, inks.surface):
        assert contrast(inks.faint, ground) >= READABLE
    assert contrast(inks.on_accent, inks.accent) >= READABLE - 1
    for sign in (inks.good, inks.note, inks.warning, inks.error, inks.accent):
        assert contrast(sign, inks.surface) >= READABLE / 2 + 0.5


@pytest.mark.parametrize("native", [True, False])
def test_every_placeholder_of_the_style_sheet_is_filled(native: bool) -> None:
    sheet = style_sheet(LIGHT, native)
    assert "$" not in sheet
    assert LIGHT.accent in sheet
    assert ("QScrollBar" in sheet) is not native


def test_the_style_sheet_is_understood(qapp: QApplication, theme: Theme, caplog: pytest.LogCaptureFixture) -> None:
    theme.refresh()
    assert "parse" not in caplog.text


class Follower(QWidget):
    """Stores the colors that it found at the last change of style."""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.StyleChange:
            self.found = colors()
        super().changeEvent(event)


def test_every_widget_that_was_shown_hears_of_other_colors(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    follower = Follower(window)
    window.show()
    follower.hide()
    for appearance, expected in ((Appearance.DARK, DARK), (Appearance.LIGHT, LIGHT)):
        theme.choose(appearance)
        assert ours(follower.found) == ours(colors()) == ours(expected)


def test_the_system_is_followed(
    theme: Theme, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme.choose(Appearance.SYSTEM)
    assert ours(colors()) == ours(LIGHT)
    monkeypatch.setattr(QStyleHints, "colorScheme", lambda hints: Qt.ColorScheme.Dark)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    qtbot.waitUntil(lambda: ours(colors()) == ours(DARK))


@pytest.mark.skipif(sys.platform == "darwin", reason="there, the palette is the system's")
def test_the_palette_follows(theme: Theme, qapp: QApplication) -> None:
    theme.choose(Appearance.DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.window
    assert qapp.palette().color(QPalette.ColorRole.Text).name() == DARK.text


def test_the_systems_accent_is_taken_over() -> None:
    palette = palette_of(LIGHT)
    palette.setColor(QPalette.ColorRole.Accent, QColor("#ff7700"))
    inks = with_system_colors(LIGHT, palette)
    assert inks.accent == "#ff7700"
    assert contrast(inks.text, inks.highlight) >= READABLE


def test_colors_are_written_as_the_style_sheet_needs_them() -> None:
    for inks in (LIGHT, DARK):
        assert all(QColor.isValidColorName(getattr(inks, field.name)) for field in fields(inks))


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
@pytest.mark.parametrize(("kind", "name"), [(QPushButton, "switch"), (QScrollArea, "figuresArea")])
def test_a_focused_widget_looks_different(
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


NAMES = sorted(path.stem for path in (resources_folder() / "icons").glob("*.svg"))


@pytest.mark.parametrize("name", NAMES)
def test_every_drawing_shows_something(qtbot: QtBot, name: str) -> None:
    image = icon(name, "text").pixmap(32, 32).toImage()
    opaque = sum(image.pixelColor(x, y).alpha() > 128 for x in range(image.width()) for y in range(image.height()))
    assert opaque > 10


def test_an_icon_always_has_the_color_of_the_current_theme(qtbot: QtBot, theme: Theme) -> None:
    stop, seen = icon("stop", "error"), []
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        image = stop.pixmap(32, 32).toImage()
        seen.append(image.pixelColor(image.width() // 2, image.height() // 2))
        assert seen[-1] == QColor(colors().error)
    assert seen[0] != seen[1]


def test_a_button_is_redrawn_in_the_colors_of_a_new_theme(qtbot: QtBot, theme: Theme) -> None:
    button = QToolButton(icon=icon("stop", "error"))
    qtbot.addWidget(button)
    button.show()
    qtbot.waitExposed(button)
    theme.choose(Appearance.DARK)
    image = button.grab().toImage()
    assert image.pixelColor(image.rect().center()) == QColor(colors().error)


def test_a_button_without_room_shows_nothing(qtbot: QtBot, qtlog: Any, theme: Theme) -> None:
    button = QToolButton(icon=icon("stop", "error"))  # with a padding of the theme that leaves less than nothing
    qtbot.addWidget(button)
    button.setFixedSize(1, 1)
    button.grab()
    assert icon("stop", "error").pixmap(QSize(8, -7)).isNull()
    assert not [each.message for each in qtlog.records if "QPainter" in each.message]


def test_a_drawing_is_painted_in_any_color(qtbot: QtBot) -> None:
    image = QImage(32, 32, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    draw_icon(painter, image.rect(), "stop", "#12ab34")
    painter.end()
    assert image.pixelColor(16, 16) == QColor("#12ab34")


def test_a_disabled_drawing_is_faint(qtbot: QtBot) -> None:
    image = icon("stop", "text").pixmap(32, 32, QIcon.Mode.Disabled).toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2).alpha() < 128


def test_the_application_has_a_picture(qtbot: QtBot) -> None:
    assert not application_icon().pixmap(128, 128).isNull()
