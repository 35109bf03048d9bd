import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.saved_files import SavedFiles
from engine.system.paths import APPLICATION_NAME
from tests.app.desktop.private_bus import PrivateBus, private_bus
from tests.patience import PATIENCE_SECONDS

if sys.platform != "linux":
    pytest.skip("The session bus belongs to Linux.", allow_module_level=True)

from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusDict, DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.service import ServiceInterface, dbus_method

Strings = Annotated[list[str], DBusSignature("as")]
asked: list[tuple[Any, ...]] = []


class FileManager(ServiceInterface):
    def __init__(self) -> None:
        super().__init__("org.freedesktop.FileManager1")

    @dbus_method()
    def ShowItems(self, addresses: Strings, startup: DBusStr) -> None:
        asked.append((addresses, startup))


class Notifications(ServiceInterface):
    def __init__(self) -> None:
        super().__init__("org.freedesktop.Notifications")

    @dbus_method()
    def Notify(
        self, application: DBusStr, number: DBusUInt32, picture: DBusStr, title: DBusStr, words: DBusStr,
        actions: Strings, hints: DBusDict, lasts: DBusInt32,
    ) -> DBusUInt32:  # fmt: skip
        asked.append((application, title, words))
        return 1


class Desktop:
    """Serves a file manager and notifications on a bus, in a thread."""

    def __init__(self, bus: PrivateBus) -> None:
        self._address = bus.address
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))

    def __enter__(self) -> None:
        self._thread.start()
        assert self._ready.wait(PATIENCE_SECONDS)

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        bus = await MessageBus(self._address).connect()
        for interface in (FileManager(), Notifications()):
            bus.export("/" + interface.name.replace(".", "/"), interface)
            await bus.request_name(interface.name)
        self._ready.set()
        await self._over.wait()
        bus.disconnect()


class Opener(QObject):
    """Stands in for the system's opener of folders."""

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        asked.append((url.toLocalFile(),))


@pytest.fixture(autouse=True)
def opener(qapp: QApplication) -> Iterator[None]:
    asked.clear()
    opener = Opener()
    QDesktopServices.setUrlHandler("file", opener, "take")
    yield
    QDesktopServices.unsetUrlHandler("file")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as bus:
        yield bus


def test_the_file_manager_selects_the_file(window: QWidget, bus: PrivateBus, qtbot: QtBot, tmp_path: Path) -> None:
    with Desktop(bus):
        SavedFiles(window, bus.address).show(tmp_path / "a b.m4b")
        qtbot.waitUntil(lambda: bool(asked))
    assert asked == [([f"file://{tmp_path}/a%20b.m4b"], "")]


def test_without_such_a_file_manager_the_folder_is_opened(
    window: QWidget, bus: PrivateBus, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "a.wav").touch()
    SavedFiles(window, bus.address).show(tmp_path / "a.wav")
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [(str(tmp_path),)]


@pytest.mark.parametrize("address", [None, "unix:path=/nowhere/at/all"])
def test_without_a_bus_the_folder_is_opened(address: str | None, window: QWidget, qtbot: QtBot, tmp_path: Path) -> None:
    SavedFiles(window, address).show(tmp_path)
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [(str(tmp_path),)]


def test_a_notification_comes_only_while_no_window_is_in_front(
    window: QWidget, bus: PrivateBus, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = SavedFiles(window, bus.address)
    with Desktop(bus):
        with monkeypatch.context() as patch:
            patch.setattr(QApplication, "activeWindow", lambda: window)
            files.notify("Saved", "in front")
        files.notify("Saved", "Book.m4b in Music")
        qtbot.waitUntil(lambda: bool(asked))
    assert asked == [(APPLICATION_NAME, "Saved", "Book.m4b in Music")]


def test_without_a_bus_the_icon_in_the_tray_notifies(window: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    tray = QSystemTrayIcon(window)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _, title, words: asked.append((title, words)))
    files = SavedFiles(window, None)
    files.notify("Saved", "while the icon is hidden")
    monkeypatch.setattr(QSystemTrayIcon, "isVisible", lambda _: True)
    files.notify("Saved", "Book.m4b")
    assert asked == [("Saved", "Book.m4b")]
    tray.deleteLater()
