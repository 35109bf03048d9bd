"""An application with a fake engine, for what is wired together."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.options import Options
from app.settings import Settings
from tests.app.fakes import FakeEngine, FakeOutput, list_voices


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    settings.text = "One. Two. Three."
    return settings


@pytest.fixture
def application(qapp: QApplication, settings: Settings) -> Iterator[Application]:
    """Not yet shown."""
    application = Application(qapp, Options(), settings, FakeEngine, FakeOutput(), list_voices=list_voices)
    yield application
    assert application.close()
    application.window.close()
    application.theme.deleteLater()
    application.window.deleteLater()
    application.deleteLater()
