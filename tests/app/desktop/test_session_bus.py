import sys
from pathlib import Path

import pytest

from app.desktop.session_bus import session_bus_address


@pytest.fixture(autouse=True)
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")


def test_the_session_names_its_bus(tmp_path: Path) -> None:
    (tmp_path / "bus").touch()
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert session_bus_address(environment) == "unix:path=/a"


def test_else_it_is_in_the_usual_place_or_there_is_none(tmp_path: Path) -> None:
    assert session_bus_address({}) is None
    assert session_bus_address({"XDG_RUNTIME_DIR": str(tmp_path)}) is None
    (tmp_path / "bus").touch()
    assert session_bus_address({"XDG_RUNTIME_DIR": str(tmp_path)}) == f"unix:path={tmp_path / 'bus'}"


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_have_none(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert session_bus_address({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/a"}) is None
