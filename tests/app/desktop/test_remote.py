from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.audio.player import Playback
from app.desktop.remote import MICROSECONDS, MediaCommand, NowPlaying, PlayerCommand, Remote
from app.speech.activity import Readiness
from tests.app.library.example_library import request, track_of


@pytest.fixture
def remote(application: Application, qtbot: QtBot) -> Iterator[Remote]:
    application.open()
    qtbot.waitUntil(lambda: application.controller.activity.readiness is Readiness.READY)
    return Remote(application.controller, application.window.reading, application.window.menu)


def speak(remote: Remote, application: Application, qtbot: QtBot) -> None:
    remote.handle_command(MediaCommand(PlayerCommand.PLAY))
    qtbot.waitUntil(lambda: application.controller.track.whole)


def test_play_speaks_the_text_when_nothing_was_spoken_yet(
    remote: Remote, application: Application, qtbot: QtBot
) -> None:
    assert remote.now == NowPlaying(can_play=True)
    speak(remote, application, qtbot)
    assert remote.now == NowPlaying(Playback.PLAYING, "One. Two. Three.", 1, 3 * MICROSECONDS, can_play=True)


def test_with_no_text_there_is_nothing_to_play(remote: Remote, application: Application) -> None:
    application.window.page.editor.start_with("")
    assert remote.now == NowPlaying()
    remote.handle_command(MediaCommand(PlayerCommand.PLAY))
    assert application.controller.player.playback is Playback.STOPPED


def test_pausing_resuming_and_stopping(remote: Remote, application: Application, qtbot: QtBot) -> None:
    speak(remote, application, qtbot)
    states = []
    for command in (
        PlayerCommand.PAUSE,
        PlayerCommand.PAUSE,
        PlayerCommand.TOGGLE,
        PlayerCommand.TOGGLE,
        PlayerCommand.PLAY,
        PlayerCommand.STOP,
    ):
        remote.handle_command(MediaCommand(command))
        states.append(remote.now.playback.value)
    assert states == ["paused", "paused", "playing", "paused", "playing", "stopped"]


def test_play_after_a_pause_has_the_rest_made(remote: Remote, application: Application, qtbot: QtBot) -> None:
    application.window.reading.play_item("An item", request("One. Two."), track_of("One. Two.", made=1))
    remote.handle_command(MediaCommand(PlayerCommand.PAUSE))
    remote.handle_command(MediaCommand(PlayerCommand.PLAY))
    qtbot.waitUntil(lambda: application.controller.track.whole)


def test_next_and_previous_are_forwarded_as_requests_to_change_sentence(remote: Remote, qtbot: QtBot) -> None:
    with qtbot.waitSignal(remote.next_requested), qtbot.assertNotEmitted(remote.previous_requested):
        remote.handle_command(MediaCommand(PlayerCommand.NEXT))
    with qtbot.waitSignal(remote.previous_requested), qtbot.assertNotEmitted(remote.next_requested):
        remote.handle_command(MediaCommand(PlayerCommand.PREVIOUS))


def test_seeking_stays_inside_and_in_the_same_speech(remote: Remote, application: Application, qtbot: QtBot) -> None:
    speak(remote, application, qtbot)
    remote.handle_command(MediaCommand(PlayerCommand.PAUSE))
    position = []
    for order in (
        MediaCommand(PlayerCommand.SEEK, 2 * MICROSECONDS),
        MediaCommand(PlayerCommand.SEEK, -9 * MICROSECONDS),
        MediaCommand(PlayerCommand.GO_TO, MICROSECONDS, remote.now.number),
        MediaCommand(PlayerCommand.GO_TO, 2 * MICROSECONDS, remote.now.number + 1),
        MediaCommand(PlayerCommand.SEEK, 9 * MICROSECONDS),
    ):
        remote.handle_command(order)
        position.append(application.controller.player.position)
    assert position == [2000, 0, 1000, 1000, 3000]


def test_jumps_are_reported_and_normal_playback_is_not(remote: Remote, application: Application, qtbot: QtBot) -> None:
    speak(remote, application, qtbot)
    jumps: list[int] = []
    remote.sought.connect(jumps.append)
    application.controller.player.position_changed.emit(500)
    application.controller.player.position_changed.emit(1200)
    assert jumps == []
    application.controller.player.position_changed.emit(2500)
    application.controller.player.position_changed.emit(100)
    assert jumps == [2_500_000, 100_000]


def test_the_window_is_brought_back_and_closed(remote: Remote, qtbot: QtBot) -> None:
    with qtbot.waitSignals([remote.raise_requested, remote.quit_requested]):
        remote.handle_command(MediaCommand(PlayerCommand.RAISE))
        remote.handle_command(MediaCommand(PlayerCommand.QUIT))
