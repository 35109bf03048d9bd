"""The settings page that lets other apps use the voices."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QSpinBox, QWidget

from app.settings import PORTS, Settings
from app.settings_window.page import SettingsPage, ValueWithButton, WrappedLabel
from app.sharing.feature import unavailable_reason
from app.sharing.voice_server import ServerState, VoiceServer
from app.widgets.controls import announce
from engine.server.events import RequestBegan

EXPLANATION = (
    "Apps on this computer that support OpenAI’s speech API, such as Open WebUI, can use these voices. Other computers "
    "can’t connect. The first request loads the model, which then stays in memory."
)
MAX_LISTED = 3


class SharingPage(SettingsPage):
    """The switch of the server, its port and address, and the requests in progress."""

    def __init__(self, settings: Settings, server: VoiceServer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings, self._server = settings, server
        self._phase = False, "", ""
        self.switch = QCheckBox("Let other apps use these voices", self)
        self.address = ValueWithButton("Address", "Copy", self)
        self.port = QSpinBox(self, minimum=PORTS[0], maximum=PORTS[-1])
        self.port.setKeyboardTracking(False)
        self.port.setAccessibleName("Port")
        self.port.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.status = WrappedLabel("", self)
        self.status.setAccessibleName("Status")
        reason = unavailable_reason()
        self.switch.setDisabled(bool(reason))
        self.add_row("", self.switch, reason or EXPLANATION)
        self.add_row("Address", self.address, "Enter it as the base URL in the other app, with any API key.")
        self.add_row("Port", self.port, "Change it if a different program uses it.")
        self.add_row("Status", self.status)
        self.switch.toggled.connect(self._on_switch)
        self.port.valueChanged.connect(self._on_port)
        self.address.button.clicked.connect(self._on_copy)
        settings.changed.connect(self._follow)
        server.changed.connect(self._show_state)
        self._follow()
        self._show_state()

    @Slot(bool)
    def _on_switch(self, on: bool) -> None:
        self._settings.shares_voices = on

    @Slot(int)
    def _on_port(self, port: int) -> None:
        self._settings.server_port = port

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._server.state.url)
        announce(self.address.button, "Copied")

    @Slot()
    def _follow(self) -> None:
        self.switch.setChecked(self._settings.shares_voices and self.switch.isEnabled())
        self.port.setValue(self._settings.server_port)

    @Slot()
    def _show_state(self) -> None:
        state = self._server.state
        self.address.button.setEnabled(bool(state.url))
        self.address.label.set_text(state.url or "None while sharing is off")
        self.status.set_text(describe(state))
        self.status.setAccessibleDescription(self.status.text())
        phase = state.running, state.url, state.problem
        if phase != self._phase:
            self._phase = phase
            announce(self.status, self.status.text())


def describe(state: ServerState) -> str:
    """Describe the server and its requests in a few lines of plain text."""
    if not state.running:
        return state.problem or "Off"
    if not state.url:
        return "Starting…"
    lines = [_describe_request(each) for each in state.requests[:MAX_LISTED]]
    if len(state.requests) > MAX_LISTED:
        lines.append(f"and {len(state.requests) - MAX_LISTED} more")
    if not lines:
        count = state.request_count
        lines = [f"On, {count or 'no'} {'request' if count == 1 else 'requests'} since the start"]
    if state.problem:
        lines.append(f"The last request failed. {state.problem}")
    return "\n".join(lines)


def _describe_request(request: RequestBegan) -> str:
    return f"{request.voice} is speaking for {request.client or 'an app without a name'}"
