"""Offscreen Qt for every test of the window."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio import player
from app.settings import Settings
from app.system.threads import collect_what_is_due, not_collected
from app.theme import DARK, LIGHT, Appearance, Theme, palette_of
from tests.app.patient_qtbot import PatientQtBot
from tests.patience import PATIENCE_MS

if TYPE_CHECKING:
    from tests.app.applications import Applications

os.environ["QT_QPA_PLATFORM"] = "offscreen"
for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):  # they locate the desktop's bus
    os.environ.pop(name, None)

IGNORED = "(IGNORED)"
"""pytest-qt's mark of an ignored message."""
PYTHONS_THRESHOLDS = (700, 10, 10)
AUDIO = Path(__file__).resolve().parent / "audio"
REAL_WINDOWS = [
    "test_real_window.py",
    "test_real_diagnostics.py",
    "test_real_reading.py",
    "test_real_walk.py",
]  # they need Xvfb and PulseAudio
collect_ignore = [] if sys.platform == "linux" else REAL_WINDOWS


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remove messages that Qt logs in every test (see `qt_log_ignore`) from the reports of failures."""
    report = yield
    sections: list[tuple[str, str, str]] = getattr(report.longrepr, "sections", [])
    kept = [
        (title, "".join(line for line in text.splitlines(keepends=True) if IGNORED not in line), rule)
        for title, text, rule in sections
    ]
    sections[:] = [section for section in kept if section[1].strip()]
    return report


@pytest.fixture(autouse=True)
def part_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own cache of exported parts, so that no export finds those of a different test."""
    folder = tmp_path_factory.mktemp("parts")
    monkeypatch.setattr("engine.export.part_cache.cache_folder", lambda: folder)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """Replaces pytest-qt's fixture."""
    return PatientQtBot(request)


@pytest.fixture(autouse=True)
def garbage_waits_until_qt_is_done() -> Iterator[None]:
    """Collect garbage only between tests, as the application does between events, and as often."""
    before = gc.get_threshold()
    gc.set_threshold(*PYTHONS_THRESHOLDS)
    with not_collected():
        yield
    collect_what_is_due()
    gc.set_threshold(*before)


@pytest.fixture(autouse=True)
def no_device_is_lost_that_nobody_hears(request: pytest.FixtureRequest) -> Iterator[None]:
    """Never report a stalled device: a test may take more than 3 s before its fake device takes samples."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.path.is_relative_to(AUDIO):
            patch.setattr(player, "STALL_SECONDS", math.inf)
        yield


@pytest.fixture(autouse=True)
def whatever_ends_may_take_its_time() -> Iterator[None]:
    """Wait longer for threads and processes to end: the application's limits are too short for slow machines."""
    application = sys.modules.get("app.application")
    with pytest.MonkeyPatch.context() as patch:
        for name in dir(application) if application is not None else ():
            if name.endswith("_MUST_END_WITHIN_MS"):
                patch.setattr(application, name, PATIENCE_MS)
        yield


@pytest.fixture(autouse=True)
def what_is_kept_is_of_this_test(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give each test its own data: a window would show the text of the previous test, and resume at its position."""
    folder = tmp_path_factory.mktemp("data")
    lexicon = "engine.text.g2p.user_lexicon.store"
    for module in ("app.recent_texts", "app.reading.places", "app.reader.book_cards", "app.editor.text_edits", lexicon):
        monkeypatch.setattr(f"{module}.data_folder", lambda: folder)


@pytest.fixture(autouse=True)
def no_style_outlives_its_test() -> Iterator[None]:
    """Remove the style sheet: a theme styles the whole application, but later tests expect the fonts they set.

    This runs after the widgets have been destroyed; otherwise all would be restyled.
    """
    yield
    application = QApplication.instance()
    if isinstance(application, QApplication) and application.styleSheet():
        application.setProperty("colours", None)
        application.setPalette(QPalette())
        application.setStyleSheet("")


class ThemeOfSystem(Theme):
    """A theme that sets the palette, as macOS does but its offscreen platform does not."""

    def choose(self, appearance: Appearance) -> None:
        if sys.platform == "darwin":
            QApplication.setPalette(palette_of(DARK if appearance is Appearance.DARK else LIGHT))
        super().choose(appearance)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a first start."""
    return Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def applications(
    qapp: QApplication, qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Applications]:
    """Creates applications that are closed at the end of the test."""
    from tests.app.applications import Applications  # loads the whole window

    applications = Applications(qapp, qtbot, settings, monkeypatch)
    yield applications
    applications.close()


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """A theme, light at first, which a test may change."""
    theme = ThemeOfSystem(qapp, Appearance.LIGHT)
    yield theme
    theme.choose(Appearance.SYSTEM)
    theme.deleteLater()


@pytest.fixture(autouse=True)
def no_widget_outlives_its_test() -> Iterator[None]:
    """Destroy widgets: every later test would restyle those that await deletion, and Qt may fail on a dying one."""
    yield
    if QApplication.instance() is not None:
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
