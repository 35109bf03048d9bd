import socket
import sys
import tempfile
from pathlib import Path

import pytest

from app.system import display
from app.system.display import MISSING_LIBRARY, NO_DISPLAY, why_no_window

pytestmark = pytest.mark.usefixtures("linux")


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(display, "X_LIBRARY", None)  # which stands for the program itself


@pytest.mark.parametrize("value", ["", "nonsense", ":", ":x", ":94321", "unix:94321.0"])
def test_a_missing_display_gives_one_sentence_with_an_alternative(value: str) -> None:
    assert why_no_window({"DISPLAY": value}) == NO_DISPLAY
    assert "kokoro-desk speak" in NO_DISPLAY


@pytest.mark.skipif(sys.platform == "darwin", reason="abstract sockets belong to Linux")
def test_a_display_that_answers_is_enough() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X94322")
        server.listen()
        assert why_no_window({"DISPLAY": ":94322.0"}) is None


def test_a_wayland_display_that_answers_is_enough() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(Path(folder) / "wayland-7"))
        server.listen()
        assert why_no_window({"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": folder}) is None


@pytest.mark.skipif(sys.platform == "darwin", reason="abstract sockets belong to Linux")
def test_a_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "X_LIBRARY", "libnone.so.0")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X94323")
        server.listen()
        assert why_no_window({"DISPLAY": ":94323"}) == MISSING_LIBRARY


def test_a_remote_display_that_refuses_is_none() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        number = unused.getsockname()[1] - display.X_PORT
    assert why_no_window({"DISPLAY": f"127.0.0.1:{number}"}) == NO_DISPLAY


def test_a_chosen_platform_and_a_mac_need_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_no_window({"QT_QPA_PLATFORM": "offscreen"}) is None
    monkeypatch.setattr(sys, "platform", "darwin")
    assert why_no_window({}) is None
