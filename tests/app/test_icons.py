from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPainter
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.icons import application_icon, draw_icon, icon
from app.theme import Appearance, Theme, colours
from engine.system.paths import resources_folder

NAMES = sorted(path.stem for path in (resources_folder() / "icons").glob("*.svg"))


@pytest.mark.parametrize("name", NAMES)
def test_every_drawing_shows_something(qtbot: QtBot, name: str) -> None:
    image = icon(name, "text").pixmap(32, 32).toImage()
    opaque = sum(image.pixelColor(x, y).alpha() > 128 for x in range(image.width()) for y in range(image.height()))
    assert opaque > 10


def test_a_drawing_has_the_colour_of_the_theme_whatever_that_is_by_then(qtbot: QtBot, theme: Theme) -> None:
    stop, seen = icon("stop", "error"), []
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        image = stop.pixmap(32, 32).toImage()
        seen.append(image.pixelColor(image.width() // 2, image.height() // 2))
        assert seen[-1] == QColor(colours().error)
    assert seen[0] != seen[1]


def test_a_button_is_drawn_again_in_the_colours_of_another_theme(qtbot: QtBot, theme: Theme) -> None:
    button = QToolButton(icon=icon("stop", "error"))
    qtbot.addWidget(button)
    button.show()
    qtbot.waitExposed(button)
    theme.choose(Appearance.DARK)
    image = button.grab().toImage()
    assert image.pixelColor(image.rect().center()) == QColor(colours().error)


def test_a_button_without_room_shows_nothing(qtbot: QtBot, qtlog: Any, theme: Theme) -> None:
    button = QToolButton(icon=icon("stop", "error"))  # with a padding of the theme that leaves less than nothing
    qtbot.addWidget(button)
    button.setFixedSize(1, 1)
    button.grab()
    assert icon("stop", "error").pixmap(QSize(8, -7)).isNull()
    assert not [each.message for each in qtlog.records if "QPainter" in each.message]


def test_a_drawing_is_painted_in_any_colour(qtbot: QtBot) -> None:
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
