import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.desktop.remote import MediaCommand, NowPlaying, PlayerCommand
from tests.app.desktop.private_bus import PLAYER, PrivateBus, private_bus
from tests.patience import PATIENCE_MS

if sys.platform != "linux":
    pytest.skip("The session bus belongs to Linux.", allow_module_level=True)

from app.desktop.mpris import NAME, Mpris

NOW = NowPlaying(Playback.PLAYING, "It was a dark and stormy night", 3, 5_000_000, can_play=True)


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as bus:
        yield bus


@pytest.fixture
def mpris(bus: PrivateBus, qtbot: QtBot) -> Iterator[Mpris]:
    mpris = Mpris(bus.address)
    mpris.join_bus(NOW)
    qtbot.waitUntil(lambda: NAME in bus.names())
    yield mpris
    assert mpris.end(PATIENCE_MS)


def test_an_external_client_reads_the_current_playback(mpris: Mpris, bus: PrivateBus) -> None:
    mpris.show_position(1_500_000)
    assert bus.get(NAME, PLAYER, "PlaybackStatus") == "(<'Playing'>,)"
    assert bus.get(NAME, PLAYER, "Position") == "(<int64 1500000>,)"
    metadata = bus.get(NAME, PLAYER, "Metadata")
    assert "'xesam:title': <'It was a dark and stormy night'>" in metadata
    assert "'mpris:length': <int64 5000000>" in metadata
    assert "'mpris:trackid': <objectpath '/io/github/kokoro_desk/speech/3'>" in metadata
    for name in ("CanPlay", "CanPause", "CanSeek", "CanGoNext", "CanGoPrevious", "CanControl"):
        assert bus.get(NAME, PLAYER, name) == "(<true>,)"
    assert bus.get(NAME, "org.mpris.MediaPlayer2", "Identity") == "(<'Kokoro Desk'>,)"
    assert bus.get(NAME, "org.mpris.MediaPlayer2", "DesktopEntry") == "(<'kokoro-desk'>,)"


@pytest.mark.parametrize(
    ("method", "arguments", "order"),
    [
        *(
            (f"{PLAYER}.{name}", (), MediaCommand(PlayerCommand(name)))
            for name in ("Play", "Pause", "PlayPause", "Stop")
        ),
        *((f"{PLAYER}.{name}", (), MediaCommand(PlayerCommand(name))) for name in ("Next", "Previous")),
        (f"{PLAYER}.Seek", ("-5000000",), MediaCommand(PlayerCommand.SEEK, -5_000_000)),
        (
            f"{PLAYER}.SetPosition",
            ("objectpath '/io/github/kokoro_desk/speech/3'", "7"),
            MediaCommand(PlayerCommand.GO_TO, 7, 3),
        ),
        ("org.mpris.MediaPlayer2.Raise", (), MediaCommand(PlayerCommand.RAISE)),
        ("org.mpris.MediaPlayer2.Quit", (), MediaCommand(PlayerCommand.QUIT)),
    ],
)
def test_a_command_from_an_external_client_arrives(
    mpris: Mpris, bus: PrivateBus, qtbot: QtBot, method: str, arguments: tuple[str, ...], order: MediaCommand
) -> None:
    with qtbot.waitSignal(mpris.ordered) as ordered:
        bus.call(NAME, method, *arguments)
    assert ordered.args == [order]


def test_an_external_client_receives_changes_and_jumps(
    mpris: Mpris, bus: PrivateBus, qtbot: QtBot, tmp_path: Path
) -> None:
    said = tmp_path / "said"

    def is_heard() -> bool:
        mpris.send_position(5)
        return "Seeked (int64 5,)" in said.read_text()

    with bus.monitored(NAME, said):
        qtbot.waitUntil(is_heard)  # the client names the owner before it listens
        mpris.show(replace(NOW, playback=Playback.PAUSED))
        mpris.send_position(7)
        qtbot.waitUntil(lambda: "Seeked (int64 7,)" in said.read_text())
    changes = f"('{PLAYER}', {{'PlaybackStatus': <'Paused'>}}, @as [])"
    assert said.read_text().splitlines()[-2:] == [
        f"/org/mpris/MediaPlayer2: org.freedesktop.DBus.Properties.PropertiesChanged {changes}",
        f"/org/mpris/MediaPlayer2: {PLAYER}.Seeked (int64 7,)",
    ]


def test_with_nothing_to_play_it_says_so(mpris: Mpris, bus: PrivateBus, qtbot: QtBot) -> None:
    mpris.show(NowPlaying())
    qtbot.waitUntil(lambda: bus.get(NAME, PLAYER, "PlaybackStatus") == "(<'Stopped'>,)")
    assert bus.get(NAME, PLAYER, "CanPlay") == bus.get(NAME, PLAYER, "CanSeek") == "(<false>,)"
    assert "NoTrack" in bus.get(NAME, PLAYER, "Metadata")


def test_two_windows_have_separate_names(mpris: Mpris, bus: PrivateBus, qtbot: QtBot) -> None:
    other = Mpris(bus.address)
    other.join_bus(NowPlaying())
    qtbot.waitUntil(lambda: len([name for name in bus.names() if name.startswith(NAME)]) == 2)
    assert other.end(PATIENCE_MS)
    assert NAME in bus.names()


def test_a_bus_that_is_not_there_or_goes_is_no_failure(qtbot: QtBot) -> None:
    nowhere = Mpris("unix:path=/nowhere/bus")
    nowhere.join_bus(NOW)
    assert nowhere.end(PATIENCE_MS)
    with private_bus() as bus:
        mpris = Mpris(bus.address)
        mpris.join_bus(NOW)
        qtbot.waitUntil(lambda: NAME in bus.names())
    mpris.show(NowPlaying())
    mpris.send_position(3)
    assert mpris.end(PATIENCE_MS)


def test_the_client_is_a_strict_one(mpris: Mpris, bus: PrivateBus) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        bus.call(NAME, f"{PLAYER}.Rewind")
