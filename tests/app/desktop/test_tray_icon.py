import sys

import pytest
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.desktop.tray_icon import TrayIcon
from app.main_menu import MainMenu
from app.speech.activity import Activity, Readiness


@pytest.fixture
def tray(qtbot: QtBot) -> tuple[MainMenu, TrayIcon]:
    menu = MainMenu()
    qtbot.addWidget(menu)
    return menu, TrayIcon(menu)


def test_it_offers_what_one_wants_from_another_window(tray: tuple[MainMenu, TrayIcon]) -> None:
    menu, icon = tray
    actions = icon.contextMenu().actions()
    assert actions[:3] == [menu.play, menu.stop, menu.speak_clipboard]
    titles = [action.text() for action in actions if not action.isSeparator()]
    assert titles[3:] == ["Show Window", "Quit Kokoro Desk"]


def test_it_says_what_is_going_on(tray: tuple[MainMenu, TrayIcon]) -> None:
    _, icon = tray
    icon.follow(Activity(Readiness.READY, playback=Playback.PLAYING, utterance_number=2, utterance_count=3))
    assert icon.toolTip() == "Kokoro Desk: Playing"


@pytest.mark.parametrize(("platform", "clicks"), [("linux", 1), ("darwin", 0)])
def test_a_click_shows_the_window_but_on_a_mac_the_menu(
    tray: tuple[MainMenu, TrayIcon], monkeypatch: pytest.MonkeyPatch, platform: str, clicks: int
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    wanted: list[None] = []
    tray[1].window_wanted.connect(lambda: wanted.append(None))
    tray[1].activated.emit(QSystemTrayIcon.ActivationReason.Context)
    tray[1].activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert len(wanted) == clicks
