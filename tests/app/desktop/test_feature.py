import sys
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.application import Application
from app.audio.player import Playback
from app.desktop.feature import TrayIcon
from app.main_menu import MainMenu
from app.settings import Settings
from app.speech.activity import Activity, Readiness
from app.speech.sliders import MAX_PAUSES
from app.widgets.windows import TextWindow
from tests.app.desktop.private_bus import PLAYER, private_bus
from tests.app.fakes import RATE_HZ

ALWAYS = {
    "New Text", "Open…", "Add Document to Queue…", "Add Document to Queue as File…", "Pause of 1.5s", "Settings…",
    "Close Window", "Enter Full Screen", "Quit Kokoro Desk", "Models…", "Kokoro Desk Help", "Keyboard Shortcuts",
    "About Kokoro Desk", "Minimize", "Zoom", "Bring All to Front", "Pronunciations…",
}  # fmt: skip
"""Commands that are enabled for any text and speech."""
ADJUSTING = {"Faster", "Slower", "Larger Text", "Smaller Text", "Longer Pauses", "Shorter Pauses"}
"""Commands that are also enabled while nothing is adjusted."""


def test_the_find_bar_is_above_the_text(application: Application, qtbot: QtBot) -> None:
    application.window.show()
    page = application.window.page
    application.window.menu.find_text.trigger()
    layout = page.layout()
    assert layout.indexOf(application.desktop.find_bar) == layout.indexOf(page.columns) - 1
    qtbot.keyClicks(application.desktop.find_bar.field, "two")
    assert page.editor.edit.textCursor().selectedText() == "Two"


def test_something_is_found_in_a_text_that_is_shown(application: Application) -> None:
    application.open()
    menu, page, bar = application.window.menu, application.window.page, application.desktop.find_bar
    menu.find_text.trigger()
    bar.field.setText("two")
    menu.home.trigger()
    assert not bar.isVisible()
    menu.find_next.trigger()
    assert page.editor.isVisible()
    menu.home.trigger()
    menu.find_text.trigger()
    assert page.editor.isVisible()
    assert application.window.focusWidget() is bar.field


def test_help_and_keys_are_in_the_menu(application: Application) -> None:
    menu, window = application.window.menu, application.window
    window.show()
    for action in (menu.help, menu.shortcuts):
        action.trigger()
    pages = {page.windowTitle(): page.browser.toPlainText() for page in window.findChildren(TextWindow)}
    assert "Diagnostics" in pages["Kokoro Desk Help"]
    assert "Find…" in pages["Keyboard Shortcuts"]


@pytest.mark.skipif(sys.platform != "linux", reason="The session bus belongs to Linux.")
def test_media_keys_control_the_window(application: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with private_bus() as bus:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
        application.open()
        qtbot.waitUntil(lambda: application.controller.activity.readiness is Readiness.READY)
        name = "org.mpris.MediaPlayer2.kokoro_desk"
        qtbot.waitUntil(lambda: name in bus.names())
        bus.call(name, f"{PLAYER}.PlayPause")
        qtbot.waitUntil(lambda: application.controller.player.playback is Playback.PLAYING)
        qtbot.waitUntil(lambda: bus.get(name, PLAYER, "PlaybackStatus") == "(<'Playing'>,)")
        bus.call(name, f"{PLAYER}.PlayPause")
        player = application.controller.player
        qtbot.waitUntil(lambda: player.playback is Playback.PAUSED and application.controller.track.whole)
        bus.call(name, f"{PLAYER}.Next")
        qtbot.waitUntil(lambda: player.position == RATE_HZ)  # each sentence lasts for a second
        bus.call(name, f"{PLAYER}.Previous")
        qtbot.waitUntil(lambda: player.position == 0)
        bus.call(name, "org.mpris.MediaPlayer2.Quit")
        qtbot.waitUntil(application.window.isHidden)


def test_without_a_bus_nothing_happens(
    application: Application, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    application.open()
    application.desktop.join_desktop()
    assert application.desktop.shut_down(0)
    assert not caplog.messages


def test_the_tray_icon_can_be_hidden_and_comes_back(
    application: Application, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    application.desktop.join_desktop()
    assert application.desktop.tray_icon.isVisible()
    settings.tray_icon = False
    assert not application.desktop.tray_icon.isVisible()
    settings.tray_icon = True
    assert application.desktop.tray_icon.isVisible()


def test_the_window_comes_back_from_the_tray(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    application.desktop.join_desktop()
    application.window.showMinimized()
    application.desktop.tray_icon.show_window.trigger()
    assert not application.window.isMinimized()


@pytest.fixture
def tray(qtbot: QtBot) -> tuple[MainMenu, TrayIcon]:
    menu = MainMenu()
    qtbot.addWidget(menu)
    return menu, TrayIcon(menu)


def test_the_tray_menu_offers_commands_that_are_useful_from_other_windows(tray: tuple[MainMenu, TrayIcon]) -> None:
    menu, icon = tray
    actions = icon.contextMenu().actions()
    assert actions[:3] == [menu.play, menu.stop, menu.speak_clipboard]
    titles = [action.text() for action in actions if not action.isSeparator()]
    assert titles[3:] == ["Show Window", "Quit Kokoro Desk"]


def test_the_tray_icon_reports_the_current_activity(tray: tuple[MainMenu, TrayIcon]) -> None:
    _, icon = tray
    icon.show_activity(Activity(Readiness.READY, playback=Playback.PLAYING, utterance_number=2, utterance_count=3))
    assert icon.toolTip() == "Kokoro Desk: Playing"


@pytest.mark.parametrize(("platform", "clicks"), [("linux", 1), ("darwin", 0)])
def test_a_click_shows_the_window_but_on_a_mac_the_menu(
    tray: tuple[MainMenu, TrayIcon], monkeypatch: pytest.MonkeyPatch, platform: str, clicks: int
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    wanted: list[None] = []
    tray[1].window_requested.connect(lambda: wanted.append(None))
    tray[1].activated.emit(QSystemTrayIcon.ActivationReason.Context)
    tray[1].activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert len(wanted) == clicks


def commands(actions: list[QAction]) -> Iterator[QAction]:
    """Yield the commands of menus and their submenus, without those that switch something on and off."""
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
def test_each_command_is_enabled_once_its_requirements_are_met(application: Application, qtbot: QtBot) -> None:
    menu, page = application.window.menu, application.window.page
    prepare(application, qtbot)
    blank = ADJUSTING | {
        "Preview Voice",
        "Voice af_heart",
        "Find…",
        "Select All",
    }  # there is text, but nothing to speak
    assert offered(application) == blank
    page.editor.start_with("One. Two.")
    menu.faster.trigger()
    assert offered(application) == blank | {
        "Play",
        "Play from Here",
        "Play from the Beginning",
        "Save as Project…",
        "Save Audio…",
        "Add to Queue",
        "Add to Queue as File…",
        "Normal Speed",
        "Shape Speech…",
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
        states.append([each.isEnabled() for each in (menu.slower, menu.normal_speed, menu.faster)])
    assert states == [[False, True, True], [True, False, True], [True, True, False]]


@pytest.mark.usefixtures("blank")
def test_pauses_end_at_their_limits(application: Application) -> None:
    menu, pauses = application.window.menu, application.window.page.header.pauses
    states = []
    for value in (0.0, 1.0, MAX_PAUSES):
        pauses.set_pause_scale(value)
        states.append([each.isEnabled() for each in (menu.shorter_pauses, menu.normal_pauses, menu.longer_pauses)])
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
