from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.system import reveal


class Manager(QObject):
    """Stands in for the system's file manager."""

    opened: list[str] = []

    @Slot(QUrl)
    def show(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


def test_a_folder_is_opened_in_the_file_manager(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reveal.sys, "platform", "linux")
    manager = Manager()
    QDesktopServices.setUrlHandler("file", manager, "show")
    try:
        reveal.reveal(tmp_path)
    finally:
        QDesktopServices.unsetUrlHandler("file")
    assert manager.opened == [str(tmp_path)]


def test_on_a_mac_it_is_selected_in_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(program: str, arguments: list[str]) -> tuple[bool, int]:
        started.append([program, *arguments])
        return True, 1

    monkeypatch.setattr(reveal.sys, "platform", "darwin")
    monkeypatch.setattr(reveal.QProcess, "startDetached", start)
    assert reveal.reveal(tmp_path)
    assert started == [["open", "-R", str(tmp_path)]]
