"""The Settings command of the window."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.main_window import MainWindow
from app.settings import Settings
from app.sharing.voice_server import VoiceServer
from app.speech.controller import SpeechController
from app.speech.voice_choice import prosody_of
from app.widgets.windows import bring_to_front
from engine.compiler.artifacts.manifest import MPS
from engine.runtime.preparation.lstm_methods import forget_crashes
from engine.speech import Prosody

if TYPE_CHECKING:
    from app.settings_window.window import SettingsWindow

PROSODY_NEWS = {Prosody.LSTM: "Now using LSTM prosody", Prosody.TRANSFORMER: "Now using Transformer prosody"}


class SettingsFeature(QObject):
    """Opens the settings window and applies engine settings.

    `engine_requested` asks for an engine with the new settings, `prosody_changed` follows a change of prosody.
    `voices_requested` asks the main window to let the user choose a voice.
    """

    engine_requested = Signal()
    prosody_changed = Signal()
    voices_requested = Signal()

    def __init__(self, window: MainWindow, speech: SpeechController, settings: Settings, server: VoiceServer) -> None:
        super().__init__(window)
        self._window, self._speech, self._settings, self._server = window, speech, settings, server
        window.menu.settings.triggered.connect(self.open)

    @cached_property
    def dialog(self) -> SettingsWindow:
        """The settings window, created when first opened."""
        from app.settings_window.window import SettingsWindow  # lists fonts and formats, which takes time

        window, speech = self._window, self._speech
        dialog = SettingsWindow(window.page.header, window.menu, self._settings, self._server, window)
        window.closed.connect(dialog.close)
        dialog.reading.voices_requested.connect(self._on_voices)
        advanced = dialog.advanced
        advanced.show_activity(speech.activity)
        speech.activity_changed.connect(advanced.show_activity)
        advanced.device_chosen.connect(self._on_device)
        advanced.lstm_method_chosen.connect(self._on_lstm_method)
        advanced.prosody_chosen.connect(self._on_prosody)
        return dialog

    @Slot()
    def open(self) -> None:
        """Show the window; it does not block the main window."""
        bring_to_front(self.dialog)

    @Slot()
    def open_sharing(self) -> None:
        """Show the page for other apps."""
        self.dialog.show_page(self.dialog.sharing)
        self.open()

    @Slot()
    def _on_voices(self) -> None:
        self._window.come_to_front()
        self.voices_requested.emit()

    @Slot(object)
    def _on_device(self, device: str) -> None:
        self._settings.device = device
        self.engine_requested.emit()

    @Slot(object)
    def _on_lstm_method(self, method: str) -> None:
        if method == MPS:
            forget_crashes()  # choosing MPS again asks for a new trial
        self._settings.lstm_method = method
        self.engine_requested.emit()

    @Slot(object)
    def _on_prosody(self, prosody: Prosody) -> None:
        voices = self._window.page.header.voices
        if prosody is prosody_of(voices.speaking_model, voices.models, self._settings.prosody):
            return
        self._settings.prosody = prosody
        self._window.page.status.show_message(PROSODY_NEWS[prosody])
        self.engine_requested.emit()
        self.prosody_changed.emit()
