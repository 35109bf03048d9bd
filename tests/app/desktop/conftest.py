"""An application with a fake engine, for integration tests."""

import pytest

from app.application import Application
from app.settings import Settings
from tests.app.applications import Applications


@pytest.fixture
def settings(settings: Settings) -> Settings:
    settings.text = "One. Two. Three."
    return settings


@pytest.fixture
def application(applications: Applications) -> Application:
    """An application, not yet shown."""
    return applications.new()
