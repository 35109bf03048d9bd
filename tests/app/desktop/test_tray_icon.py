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
    actions = tray[1].contextMenu().actions()
    titles = [action.text() for action in actions if not action.isSeparator()]
    assert titles == ["Play", "Stop", "Speak Clipboard", "Show Window", "Quit Kokoro Desk"]


@pytest.mark.parametrize(
    ("playback", "title"), [(Playback.PLAYING, "Pause"), (Playback.PAUSED, "Resume"), (Playback.STOPPED, "Play")]
)
def test_the_first_command_is_what_it_would_do(
    tray: tuple[MainMenu, TrayIcon], qtbot: QtBot, playback: Playback, title: str
) -> None:
    menu, icon = tray
    icon.follow(Activity(Readiness.READY, playback=playback))
    assert icon.pause.text() == title
    with qtbot.waitSignal(menu.toggle.triggered):
        icon.pause.trigger()


def test_what_the_menu_does_not_offer_it_does_not_either(tray: tuple[MainMenu, TrayIcon]) -> None:
    menu, icon = tray
    menu.toggle.setEnabled(False)
    assert not icon.pause.isEnabled()
    menu.toggle.setEnabled(True)
    assert icon.pause.isEnabled()


def test_it_says_what_is_going_on(tray: tuple[MainMenu, TrayIcon]) -> None:
    _, icon = tray
    icon.follow(Activity(Readiness.READY, playback=Playback.PLAYING, utterance_number=2, utterance_count=3))
    assert icon.toolTip() == "Kokoro Desk: Speaking 2 of 3"


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
