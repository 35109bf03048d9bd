"""Speech for other apps in the window: the server runs as the settings say, and the status line shows it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.main_window import MainWindow
from app.messages import MessageTopic, message_for
from app.settings import Settings
from app.sharing.voice_server import ServerState, VoiceServer
from app.speech.voice_choice import prosody_of
from app.widgets.elided_text import ElidedButton
from engine.errors import EngineError
from engine.server.hosting import HostOptions, require_packages

TOOL_TIP = "Other apps on this computer can use these voices: show the settings"


class SharingFeature(QObject):
    """Runs the server while the setting is on, with the model in use; only if `in_charge`.

    `settings_requested` asks for the page of settings.
    """

    settings_requested = Signal()

    def __init__(self, window: MainWindow, settings: Settings, *, in_charge: bool = True) -> None:
        super().__init__(window)
        self._window, self._settings, self._in_charge = window, settings, in_charge
        self.server = VoiceServer(self)
        self.chip = SharingChip(window.page.status)
        window.page.status.add(self.chip)
        self.chip.clicked.connect(self.settings_requested)
        self.server.changed.connect(self._show)
        self.server.failed.connect(self._on_failed)
        settings.changed.connect(self._on_setting)

    @Slot()
    def follow_engine(self) -> None:
        """Serve the model in use with its device, once it is known; requests in progress end."""
        voices, settings = self._window.page.header.voices, self._settings
        if not self._in_charge or not voices.known:
            return
        if not settings.shares_voices or unavailable_reason():
            self.server.stop()
            return
        model = voices.speaking_model
        prosody = prosody_of(model, voices.models, settings.prosody)
        options = HostOptions(model, settings.device, settings.lstm_method, prosody, settings.server_port)
        self.server.start(options)

    def shut_down(self, timeout_ms: int) -> bool:
        """End the server; return whether it ended in time."""
        return self.server.shut_down(timeout_ms)

    @Slot(object)
    def _on_setting(self, setting: object) -> None:
        if setting in (Settings.shares_voices, Settings.server_port):
            self.follow_engine()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._settings.shares_voices = False
        message = message_for(error)
        text = f"Other apps can’t use these voices. {message.text}"
        self._window.page.banner.show_message(replace(message, text=text, topic=MessageTopic.SHARING))

    @Slot()
    def _show(self) -> None:
        self.chip.show_state(self.server.state)
        if self.server.state.url:
            self._window.page.banner.withdraw(MessageTopic.SHARING)


class SharingChip(ElidedButton):
    """The number of requests of other apps in the main window; hidden while the server is off."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusChip")
        self.setAutoDefault(False)
        self.hide()

    def show_state(self, state: ServerState) -> None:
        """Show the server's state."""
        count = len(state.requests)
        requests = f" · {count} {'request' if count == 1 else 'requests'}" if count else ""
        self.set_text(f"Voices shared{requests}")
        self.setToolTip(TOOL_TIP)
        self.setVisible(bool(state.url))


def unavailable_reason() -> str:
    """Return why the server can't run in this installation; empty if it can."""
    try:
        require_packages()
    except EngineError as error:
        return str(error)
    return ""
