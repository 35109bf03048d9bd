"""Tests of the server for other apps as the window runs it: the real one, with the built-in voices."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx2
import openai
import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.options import Options
from app.settings import Settings
from app.settings_window.sharing_page import SharingPage, describe
from app.sharing.voice_server import ServerState
from app.speech.engine_worker import VoicesListed
from engine.server.events import RequestBegan
from tests.app.applications import Applications
from tests.app.fakes import TWO_MODELS
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.trained import needs_trained

LONG = "The fox runs over the hill, and the river is wide. " * 200


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def application(applications: Applications, settings: Settings, port: int) -> Application:
    settings.server_port = port
    return applications.ready(list_voices=lambda: VoicesListed(TWO_MODELS, "starter"))


def page_of(application: Application) -> SharingPage:
    return application.settings_window.dialog.sharing


def is_refused(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) != 0


def wait_on(application: Application, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: bool(application.sharing.server.state.url))
    return application.sharing.server.state.url


def turn_on(application: Application, qtbot: QtBot) -> str:
    page_of(application).switch.click()
    return wait_on(application, qtbot)


def speak(url: str, text: str, voice: str = "af_heart") -> bytes:
    with openai.OpenAI(base_url=url, api_key="unused", timeout=PATIENCE_SECONDS, max_retries=0) as client:
        return client.audio.speech.create(model="tts-1", voice=voice, input=text).content


def spoken(url: str, qtbot: QtBot) -> bytes:
    """Return the audio of a request, while the window handles events."""
    with ThreadPoolExecutor() as pool:
        answer: Future[bytes] = pool.submit(speak, url, "Good morning.")
        qtbot.waitUntil(answer.done)
        return answer.result()


def test_it_is_off_until_it_is_switched_on(application: Application, qtbot: QtBot, port: int) -> None:
    page, chip = page_of(application), application.sharing.chip
    assert (page.switch.isChecked(), page.address.button.isEnabled(), chip.isHidden()) == (False, False, True)
    assert is_refused(port)
    url = turn_on(application, qtbot)
    assert url == f"http://127.0.0.1:{port}/v1"
    assert (page.address.label.toolTip(), chip.isHidden()) == (url, False)
    page.address.button.click()
    assert QGuiApplication.clipboard().text() == url
    assert spoken(url, qtbot)
    qtbot.waitUntil(lambda: application.sharing.server.state == ServerState(True, url, (), 1))
    page.switch.click()
    wait_until(lambda: is_refused(port), "the end of the server")
    assert (chip.isHidden(), page.address.button.isEnabled()) == (True, False)


def test_requests_in_progress_are_plain_text_and_end_with_the_switch(
    application: Application, qtbot: QtBot, port: int
) -> None:
    page, url = page_of(application), turn_on(application, qtbot)
    client = {"User-Agent": "<b>Reader</b>/1.0"}
    with ThreadPoolExecutor() as pool:
        body = {"input": LONG, "response_format": "wav"}
        answer = pool.submit(httpx2.post, f"{url}/audio/speech", json=body, headers=client, timeout=PATIENCE_SECONDS)
        qtbot.waitUntil(lambda: "<b>Reader</b>" in page.status.text())
        assert page.status.textFormat() is Qt.TextFormat.PlainText
        assert "Reader" not in application.sharing.chip.toolTip()
        page.switch.click()
        qtbot.waitUntil(answer.done)
        assert isinstance(answer.exception(), httpx2.TransportError)
    assert not application.sharing.server.state.running


def test_it_moves_to_a_new_port_and_returns_with_the_app(
    application: Application, applications: Applications, qtbot: QtBot, port: int
) -> None:
    turn_on(application, qtbot)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        other = probe.getsockname()[1]
    page_of(application).port.setValue(other)
    url = wait_on(application, qtbot)
    assert url == f"http://127.0.0.1:{other}/v1"
    assert is_refused(port)
    assert application.close()
    assert is_refused(other)
    again = applications.ready()
    assert wait_on(again, qtbot) == url
    assert page_of(again).switch.isChecked()


def test_a_port_in_use_gets_one_sentence_and_it_stays_off(
    application: Application, applications: Applications, qtbot: QtBot, settings: Settings, tmp_path: Path, port: int
) -> None:
    turn_on(application, qtbot)
    other_settings = Settings(QSettings(str(tmp_path / "other.ini"), QSettings.Format.IniFormat))
    other_settings.server_port = port
    second = applications.ready(settings=other_settings)
    page_of(second).switch.click()
    qtbot.waitUntil(lambda: bool(second.sharing.server.state.problem))
    message = second.window.page.banner.message
    assert message is not None
    assert str(port) in message.text
    assert str(port) in page_of(second).status.text()
    assert (page_of(second).switch.isChecked(), other_settings.shares_voices) == (False, False)
    assert settings.shares_voices
    page_of(application).switch.click()
    wait_until(lambda: is_refused(port), "the end of the first server")
    turn_on(second, qtbot)
    assert second.window.page.banner.message is None


def test_a_server_that_dies_is_reported(application: Application, qtbot: QtBot) -> None:
    turn_on(application, qtbot)
    command = ["ps", "-Aww", "-o", "pid=", "-o", "ppid=", "-o", "args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    processes = [line.split(maxsplit=2) for line in listed.splitlines()]
    servers = [each for each in processes if int(each[1]) == os.getpid() and "engine.server.hosting" in each[2]]
    assert len(servers) == 1
    os.kill(int(servers[0][0]), signal.SIGKILL)
    qtbot.waitUntil(lambda: not application.sharing.server.state.running)
    assert "SIGKILL" in page_of(application).status.text()
    assert not page_of(application).switch.isChecked()


def test_a_model_that_is_missing_ends_it_with_a_sentence(application: Application, qtbot: QtBot) -> None:
    turn_on(application, qtbot)
    application.window.page.header.voices.choose_model("kokoro-82m")
    qtbot.waitUntil(lambda: not application.sharing.server.state.running)
    assert "kokoro-82m" in page_of(application).status.text()


@needs_trained
def test_it_follows_the_model(
    application: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, trained_data: Path, port: int
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(trained_data))
    health = f"http://127.0.0.1:{port}/health"
    turn_on(application, qtbot)
    assert httpx2.get(health).json()["model"] == "starter"
    application.window.page.header.voices.choose_model("kokoro-82m")
    wait_on(application, qtbot)
    assert httpx2.get(health).json()["model"] == "kokoro-82m"


def test_without_its_packages_it_is_disabled_and_says_how_to_install_them(
    applications: Applications, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    settings.shares_voices = True
    application = applications.ready()
    page = page_of(application)
    assert (page.switch.isEnabled(), page.switch.isChecked()) == (False, False)
    assert not application.sharing.server.state.running
    explanations = [label.text() for label in page.findChildren(type(page.status))]
    assert any("pip install" in words for words in explanations)


def test_a_screenshot_starts_no_server(applications: Applications, settings: Settings, tmp_path: Path) -> None:
    settings.shares_voices = True
    application = applications.ready(Options(screenshot=tmp_path / "a.png"))
    assert not application.sharing.server.state.running


def test_the_chip_opens_the_page_which_the_keyboard_and_screen_readers_reach(
    application: Application, qtbot: QtBot
) -> None:
    url, page = turn_on(application, qtbot), page_of(application)
    application.sharing.chip.click()
    assert page.isVisible()
    qtbot.waitUntil(application.settings_window.dialog.isActiveWindow)
    page.switch.setFocus()
    for control in (page.address.button, page.port):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is control
        assert control.accessibleName()
    assert page.address.label.accessibleDescription() == url
    assert page.status.accessibleDescription() == page.status.text() != ""


def test_many_requests_are_counted() -> None:
    requests = tuple(RequestBegan(number, f"Voice {number}", "") for number in range(5))
    lines = describe(ServerState(True, "http://127.0.0.1:8880/v1", requests, 5)).splitlines()
    assert len(lines) == 4
    assert "2" in lines[-1]
    assert "Voice 0" in lines[0]
