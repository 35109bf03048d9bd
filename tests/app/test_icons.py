import pytest
from PySide6.QtGui import QColor, QIcon
from pytestqt.qtbot import QtBot

from app.icons import application_icon, icon
from engine.system.paths import resources_folder

NAMES = sorted(path.stem for path in (resources_folder() / "icons").glob("*.svg"))


@pytest.mark.parametrize("name", NAMES)
def test_every_drawing_shows_something(qtbot: QtBot, name: str) -> None:
    image = icon(name, "#ff0000").pixmap(32, 32).toImage()
    opaque = sum(image.pixelColor(x, y).alpha() > 128 for x in range(image.width()) for y in range(image.height()))
    assert opaque > 10


def test_a_drawing_has_the_colour_that_was_asked_for(qtbot: QtBot) -> None:
    image = icon("stop", "#12ab34").pixmap(32, 32).toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2) == QColor("#12ab34")


def test_a_disabled_drawing_is_faint(qtbot: QtBot) -> None:
    image = icon("stop", "#000000").pixmap(32, 32, QIcon.Mode.Disabled).toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2).alpha() < 128


def test_the_application_has_a_picture(qtbot: QtBot) -> None:
    assert not application_icon().pixmap(128, 128).isNull()
