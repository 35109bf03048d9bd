"""Applications with a fake engine, sound device and voices."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import app.application
from app.application import Application
from app.audio.output import AudioOutput
from app.models.worker import LibraryFactory
from app.options import Options
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.engine_worker import EngineFactory, VoiceLister
from tests.app.fakes import FakeEngine, FakeOutput, list_voices

LATER_THAN_ANY_TEST_MS = 24 * 60 * 60 * 1000


class Applications:
    """Creates applications, and closes them at the end of the test."""

    def __init__(self, qt: QApplication, qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        self._qt, self._qtbot, self._settings, self._monkeypatch = qt, qtbot, settings, monkeypatch
        self._made: list[Application] = []

    def new(
        self,
        options: Options | None = None,
        make_engine: EngineFactory | None = FakeEngine,
        output: AudioOutput | None = None,
        make_library: LibraryFactory | None = None,
        list_voices: VoiceLister = list_voices,
        settings: Settings | None = None,
    ) -> Application:
        """Return an application that is not shown; unless the test passes a library, it loads none.

        Otherwise the voices of this machine's models would sooner or later replace those that the test lists.
        """
        if make_library is None:
            self._monkeypatch.setattr(app.application, "ADD_MODELS_AFTER_MS", LATER_THAN_ANY_TEST_MS)
        parts = make_engine, output or FakeOutput(), make_library, list_voices
        application = Application(self._qt, options or Options(), settings or self._settings, *parts)
        self._made.append(application)
        return application

    def opened(self, *what: Any, **parts: Any) -> Application:
        """Return an application that is shown and prepares its engine."""
        application = self.new(*what, **parts)
        application.open()
        return application

    def ready(self, *what: Any, **parts: Any) -> Application:
        """Return an application that is shown and ready to speak."""
        application = self.opened(*what, **parts)
        self.wait_ready(application)
        return application

    def wait_ready(self, application: Application) -> None:
        self._qtbot.waitUntil(lambda: application.controller.activity.readiness is Readiness.READY)

    def close(self) -> None:
        for application in self._made:
            assert application.close()
            application.window.close()
            application.theme.deleteLater()
            application.window.deleteLater()
            application.deleteLater()
