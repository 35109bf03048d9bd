from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.pause_control import LONGEST_PAUSES

ALWAYS = {
    "New Text", "Open…", "Add Document to Queue…", "Add Document to Queue as File…", "Pause of 1.5s", "Settings…",
    "Close Window", "Enter Full Screen", "Quit Kokoro Desk", "Models…", "Kokoro Desk Help", "Keyboard Shortcuts",
    "About Kokoro Desk", "Minimize", "Zoom", "Bring All to Front",
}  # fmt: skip
"""Commands that do something whatever the text and the speech are."""

ADJUSTING = {"Faster", "Slower", "Larger Text", "Smaller Text", "Longer Pauses", "Shorter Pauses"}
"""These as well, as long as nothing is adjusted."""


def commands(actions: list[QAction]) -> Iterator[QAction]:
    """Those of menus and the menus in them, without what switches something on and off."""
    for action in actions:
        if action.menu() is not None:
            yield from commands(action.menu().actions())
        elif action.text() and not (action.isCheckable() and action.actionGroup() is None):
            yield action


def offered(application: Application) -> set[str]:
    menu = application.window.menu
    groups = (menu.appearances, menu.model_actions, menu.notes)
    chosen = {id(action) for group in groups for action in group.actions()}
    titles = {each.text() for each in commands(menu.actions()) if each.isEnabled() and id(each) not in chosen}
    return titles - ALWAYS


@pytest.fixture
def blank(settings: Settings) -> None:
    settings.text = " "
    QGuiApplication.clipboard().clear()


def prepare(application: Application, qtbot: QtBot) -> None:
    application.open()
    qtbot.waitUntil(lambda: application.controller.activity.readiness is Readiness.READY)


@pytest.mark.usefixtures("blank")
def test_with_nothing_there_nothing_is_offered_that_needs_something(application: Application) -> None:
    application.window.page.editor.start_with("")
    assert offered(application) == ADJUSTING


@pytest.mark.usefixtures("blank")
def test_what_every_command_needs(application: Application, qtbot: QtBot) -> None:
    menu, page = application.window.menu, application.window.page
    prepare(application, qtbot)
    blank = ADJUSTING | {
        "Preview Voice",
        "Voice af_heart",
        "Find…",
        "Select All",
    }  # it is a text, but nothing to speak
    assert offered(application) == blank
    page.editor.start_with("One. Two.")
    menu.faster.trigger()
    assert offered(application) == blank | {
        "Play",
        "Play from Here",
        "Play from the Beginning",
        "Save Audio…",
        "Add to Queue",
        "Add to Queue as File…",
        "Normal Speed",
    }
    sound = (menu.back, menu.forward, *application.read_along.actions.for_sound)
    assert not any(action.isEnabled() for action in sound)
    menu.play.trigger()
    qtbot.waitUntil(lambda: application.controller.track.whole)
    assert all(action.isEnabled() for action in (*sound, menu.stop))
    menu.stop.trigger()
    assert all(action.isEnabled() for action in sound)
    assert not menu.stop.isEnabled()


@pytest.mark.usefixtures("blank")
def test_the_speed_ends_at_its_limits(application: Application) -> None:
    menu, speed = application.window.menu, application.window.page.header.speed
    states = []
    for value in (0.5, 1.0, 2.0):
        speed.set_speed(value)
        states.append([each.isEnabled() for each in (menu.slower, menu.usual_speed, menu.faster)])
    assert states == [[False, True, True], [True, False, True], [True, True, False]]


@pytest.mark.usefixtures("blank")
def test_pauses_end_at_their_limits(application: Application) -> None:
    menu, pauses = application.window.menu, application.window.page.header.pauses
    states = []
    for value in (0.0, 1.0, LONGEST_PAUSES):
        pauses.set_pause_scale(value)
        states.append([each.isEnabled() for each in (menu.shorter_pauses, menu.usual_pauses, menu.longer_pauses)])
    assert states == [[False, True, True], [True, False, True], [True, True, False]]


@pytest.mark.usefixtures("blank")
def test_the_clipboard_is_spoken_and_the_text_is_among_the_recent_ones(application: Application, qtbot: QtBot) -> None:
    menu, page = application.window.menu, application.window.page
    prepare(application, qtbot)
    page.editor.edit.insertPlainText("Mine.")
    assert not menu.speak_clipboard.isEnabled()
    QGuiApplication.clipboard().setText("Copied. Text.")
    assert menu.speak_clipboard.isEnabled()
    menu.speak_clipboard.trigger()
    qtbot.waitUntil(lambda: application.controller.track.whole)
    assert application.controller.text == page.editor.text == "Copied. Text."
    menu.undo.trigger()
    assert page.editor.text == "Copied. Text."
    assert "Mine. " in [each.text for each in application.window.memory.texts]
