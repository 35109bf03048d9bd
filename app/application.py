"""Wires the application: settings, theme, controller, window; runs it and ends it.

It does not know what any of them does.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from app.audio_output import AudioOutput, DefaultAudioOutput, NoAudioDevice
from app.background_output import BackgroundOutput
from app.diagnostics import Diagnostics
from app.diagnostics_process import COMMAND
from app.engine_worker import EngineFactory, engine_for
from app.icons import application_icon
from app.main_window import MainWindow
from app.model_manager import ModelManager
from app.model_worker import LibraryFactory
from app.screenshot import ScreenshotWhenIdle
from app.settings import Settings
from app.speech_controller import SpeechController
from app.theme import Theme
from engine.model_store import ModelStore
from engine.paths import APPLICATION_NAME, resources_folder

log = logging.getLogger(__name__)

ENGINE_MUST_END_WITHIN_MS = 5000
REFERENCE_MUST_END_WITHIN_MS = 2000
MODELS_MUST_END_WITHIN_MS = 5000
LOOK_FOR_DEVICE_AFTER_MS = 500
"""Loading PortAudio takes a moment; the window is drawn first."""


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line; a given text is spoken at once, as is the greeting at the first start."""

    text: str | None = None
    voice: str | None = None
    speed: float | None = None
    screenshot: Path | None = None
    diagnostics: bool = False


class Application(QObject):
    """The application, its window not yet shown; parts can be replaced for tests.

    `finished` carries an exit code when there is nothing more to do than what was asked for.
    """

    finished = Signal(int)

    def __init__(
        self,
        qt: QApplication,
        options: Options,
        settings: Settings,
        make_engine: EngineFactory | None = None,
        output: AudioOutput | None = None,
        reference_command: Sequence[str] = COMMAND,
        make_library: LibraryFactory = ModelStore,
    ) -> None:
        super().__init__(qt)
        output = output or BackgroundOutput(DefaultAudioOutput())
        self._speaks_at_once = options.text is not None or settings.text is None
        self.theme = Theme(qt, settings.appearance)
        self._settings = settings
        self._given_engine = make_engine
        self.controller = SpeechController(self._engine_factory(), output, self)
        self.window = MainWindow(self.controller, settings, self.theme)
        self.window.menu.choose_device(settings.device)
        self.window.menu.devices.triggered.connect(self._on_device)
        self.diagnostics = Diagnostics(self.window, self.controller, output, settings, self.theme, reference_command)
        self.models = ModelManager(self.window, settings, self.theme, make_library)
        self.models.engine_wanted.connect(self._on_engine_wanted)
        self._apply(options, first_start=settings.text is None)

    def open(self) -> None:
        """Show the window; everything slow begins once it is there."""
        self.window.show()
        QTimer.singleShot(0, self._begin)

    def close(self) -> bool:
        """Stop everything; whether the engine has ended in time."""
        self.diagnostics.shut_down(REFERENCE_MUST_END_WITHIN_MS)
        models_ended = self.models.shut_down(MODELS_MUST_END_WITHIN_MS)
        return self.controller.shut_down(ENGINE_MUST_END_WITHIN_MS) and models_ended

    def _engine_factory(self) -> EngineFactory:
        return self._given_engine or partial(engine_for, self._settings.model, self._settings.device)

    @Slot(QAction)
    def _on_device(self, action: QAction) -> None:
        self._settings.device = action.data()
        self._on_engine_wanted()

    @Slot()
    def _on_engine_wanted(self) -> None:
        self.controller.change_engine(self._engine_factory())

    @Slot()
    def _begin(self) -> None:
        self.controller.prepare()
        self.models.controller.look()
        if self._speaks_at_once:
            self.window.speak()
        QTimer.singleShot(LOOK_FOR_DEVICE_AFTER_MS, self.controller.player.check_device)

    def _apply(self, options: Options, *, first_start: bool) -> None:
        header = self.window.page.header
        if options.text is not None:
            self.window.memory.lend_text(options.text)
        elif first_start:
            self.window.page.editor.start_with(greeting())
        if options.voice is not None:
            header.voices.ask_for(options.voice)
        if options.speed is not None:
            header.speed.set_speed(options.speed)
        if options.diagnostics:
            self.diagnostics.open()
        if options.screenshot is not None:
            diagnostics = self.diagnostics
            self._screenshot = ScreenshotWhenIdle(self.window, options.screenshot, lambda: diagnostics.busy)
            self.controller.activity_changed.connect(self._screenshot.follow)
            self.controller.failed.connect(self._on_failure)
            self._screenshot.taken.connect(self.finished)

    @Slot(object)
    def _on_failure(self, error: Exception) -> None:
        if not isinstance(error, NoAudioDevice):
            log.error("%s", error)
            self._screenshot.note_failure(error)


def greeting() -> str:
    """What is said at the very first start, so that one hears at once that it works."""
    return (resources_folder() / "sample.txt").read_text(encoding="utf-8").strip()


def run(options: Options) -> int:
    """Open the window and stay until it is closed; returns the exit code."""
    QApplication.setApplicationName(APPLICATION_NAME)
    QApplication.setOrganizationName(APPLICATION_NAME)
    qt = QApplication(sys.argv[:1])
    qt.setWindowIcon(application_icon())
    store = QSettings()
    application = Application(qt, options, Settings(store))
    application.finished.connect(qt.exit)
    application.open()
    exit_code = qt.exec()
    ended = application.close()
    store.sync()
    if not ended:
        os._exit(exit_code)  # a thread that does not end would make Qt abort, which looks like a crash
    return exit_code
