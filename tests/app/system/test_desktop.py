import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFileOpenEvent
from PySide6.QtWidgets import QApplication

from app.system import desktop
from app.system.desktop import OpenedFiles, reveal, session_bus_address


class Manager(QObject):
    """Stands in for the system's file manager."""

    opened: list[str] = []

    @Slot(QUrl)
    def show(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


def test_a_folder_is_opened_in_the_file_manager(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    manager = Manager()
    QDesktopServices.setUrlHandler("file", manager, "show")
    try:
        reveal(tmp_path)
    finally:
        QDesktopServices.unsetUrlHandler("file")
    assert manager.opened == [str(tmp_path)]


def test_on_a_mac_it_is_selected_in_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(program: str, arguments: list[str]) -> tuple[bool, int]:
        started.append([program, *arguments])
        return True, 1

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(desktop.QProcess, "startDetached", start)
    assert reveal(tmp_path)
    assert started == [["open", "-R", str(tmp_path)]]


def test_a_file_of_the_desktop_is_passed_on(qapp: QApplication) -> None:
    files, opened = OpenedFiles(qapp), []
    files.opened.connect(opened.append)
    assert QApplication.sendEvent(qapp, QFileOpenEvent("/texts/a story.txt"))
    assert opened == [Path("/texts/a story.txt")]
    qapp.removeEventFilter(files)


def test_an_address_of_the_web_is_not(qapp: QApplication) -> None:
    files, opened = OpenedFiles(qapp), []
    files.opened.connect(opened.append)
    QApplication.sendEvent(qapp, QFileOpenEvent(QUrl("https://example.org/")))
    assert opened == []
    qapp.removeEventFilter(files)


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.usefixtures("linux")
def test_the_session_names_its_bus(tmp_path: Path) -> None:
    (tmp_path / "bus").touch()
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert session_bus_address(environment) == "unix:path=/a"


@pytest.mark.usefixtures("linux")
def test_else_it_is_in_the_usual_place_or_there_is_none(tmp_path: Path) -> None:
    assert session_bus_address({}) is None
    assert session_bus_address({"XDG_RUNTIME_DIR": str(tmp_path)}) is None
    (tmp_path / "bus").touch()
    assert session_bus_address({"XDG_RUNTIME_DIR": str(tmp_path)}) == f"unix:path={tmp_path / 'bus'}"


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_have_none(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert session_bus_address({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/a"}) is None
