import sys

import pytest
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.application import Application
from app.audio.player import Playback
from app.settings import Settings
from app.speech.activity import Readiness
from app.widgets.page import Page
from tests.app.desktop.private_bus import PLAYER, private_bus
from tests.app.fakes import RATE_HZ


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
    pages = {page.windowTitle(): page.browser.toPlainText() for page in window.findChildren(Page)}
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
    application.desktop.begin()
    assert application.desktop.shut_down(0)
    assert not caplog.messages


def test_the_tray_icon_can_be_hidden_and_comes_back(
    application: Application, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    application.desktop.begin()
    assert application.desktop.tray_icon.isVisible()
    settings.tray_icon = False
    assert not application.desktop.tray_icon.isVisible()
    settings.tray_icon = True
    assert application.desktop.tray_icon.isVisible()


def test_the_window_comes_back_from_the_tray(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    application.desktop.begin()
    application.window.showMinimized()
    application.desktop.tray_icon.show_window.trigger()
    assert not application.window.isMinimized()
