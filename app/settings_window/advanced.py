"""The page of what most people never need: how speech is computed, and how the application stays in sight."""

from __future__ import annotations

import sys

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QSystemTrayIcon, QWidget

from app.settings import DEVICE_TITLES, LSTM_TITLES, Settings
from app.settings_window.page import LIST_CHARACTERS, SettingsPage
from app.speech.activity import Activity
from app.speech.voice_choice import prosody_of
from app.speech.voice_picker import VoicePicker
from app.widgets.combo_box import ComboBox
from engine.artifacts.manifest import METAL_DEVICE
from engine.preparation.devices import DEVICES, metal_obstacle
from engine.preparation.lstm_methods import LSTM_WISHES
from engine.speech import DeviceEvent, Prosody

PROSODY_TITLES = {Prosody.LSTM: "LSTM (Original)", Prosody.TRANSFORMER: "Transformer"}
PROSODY_EXPLANATIONS = {
    Prosody.LSTM: "The model’s own LSTMs predict durations, pitch, and energy one step at a time.",
    Prosody.TRANSFORMER: "A Transformer trained on the LSTMs predicts all steps at once.",
}


class AdvancedPage(SettingsPage):
    """The signals carry what was chosen, even if it is what was chosen before: that means once more."""

    device_chosen = Signal(object)
    lstm_method_chosen = Signal(object)
    prosody_chosen = Signal(object)

    def __init__(self, settings: Settings, picker: VoicePicker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings, self._picker = settings, picker
        self.device = ComboBox("Device", "What generates speech", LIST_CHARACTERS, self)
        self.lstm_method = ComboBox("LSTM layers on Metal", "What computes LSTMs on a GPU", LIST_CHARACTERS, self)
        self.prosody = ComboBox("Prosody", "What predicts durations, pitch, and energy", LIST_CHARACTERS, self)
        self.tray_icon = QCheckBox("Menu bar icon" if sys.platform == "darwin" else "Tray icon", self)
        self.diagnose = QCheckBox("Diagnose while speaking", self)
        self._device_words = self.add_row("Device", self.device)
        self._lstm_words = self.add_row("LSTM layers on Metal", self.lstm_method)
        self._prosody_words = self.add_row("Prosody", self.prosody)
        self.add_row("", self.tray_icon)
        self.tray_icon.setVisible(QSystemTrayIcon.isSystemTrayAvailable())
        self.add_row("", self.diagnose, "Compares each stage with PyTorch while the Diagnostics window is open.")
        self._offer()
        self._connect()

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Say what computes, and why; and what the LSTM methods took where they were tried."""
        if (device := activity.device) is not None:
            self._show_device(device)

    def _offer(self) -> None:
        self.device.offer((device, DEVICE_TITLES[device], "") for device in DEVICES)
        self.lstm_method.offer((str(method), LSTM_TITLES[method], "") for method in LSTM_WISHES)
        self.prosody.offer((each, PROSODY_TITLES[each], PROSODY_EXPLANATIONS[each]) for each in PROSODY_TITLES)
        if (obstacle := metal_obstacle()) is not None:
            self.device.forbid(METAL_DEVICE, obstacle)
            self.lstm_method.setEnabled(False)
            self._lstm_words.say(obstacle)
        self._show_settings()
        self._show_prosody()

    def _connect(self) -> None:
        self.device.chosen.connect(self.device_chosen)
        self.lstm_method.chosen.connect(self.lstm_method_chosen)
        self.prosody.chosen.connect(self.prosody_chosen)
        self.tray_icon.toggled.connect(self._on_tray_icon)
        self.diagnose.toggled.connect(self._on_diagnose)
        self._settings.changed.connect(self._follow_settings)
        self._picker.listed.connect(self._show_prosody)
        self._picker.model_changed.connect(self._show_prosody)

    def _show_device(self, device: DeviceEvent) -> None:
        self._device_words.say(f"In use: {device.device}")
        if self.lstm_method.isEnabled():
            self._lstm_words.say(f"In use: {device.lstm_method}")
        for number, method in enumerate(self.lstm_method.values):
            seconds = device.lstm_seconds.get(str(method))
            title = LSTM_TITLES[str(method)]
            self.lstm_method.setItemText(number, title if seconds is None else f"{title} ({1000 * seconds:.1f} ms)")

    @Slot(object)
    def _follow_settings(self, setting: object) -> None:
        if setting is Settings.prosody:
            self._show_prosody()
        else:
            self._show_settings()

    def _show_settings(self) -> None:
        self.device.choose(self._settings.device)
        self.lstm_method.choose(self._settings.lstm_method)
        self.tray_icon.setChecked(self._settings.tray_icon)
        self.diagnose.setChecked(self._settings.diagnose_while_speaking)

    @Slot()
    def _show_prosody(self) -> None:
        """What the model in use does, which is not what is wished for if it can't; then say why."""
        model, models = self._picker.speaking_model, self._picker.models
        obstacle = next((each.students_obstacle for each in models if each.model == model), "")
        self.prosody.setEnabled(self._picker.known)
        self.prosody.forbid(Prosody.TRANSFORMER, obstacle)
        self.prosody.choose(prosody_of(model, models, self._settings.prosody))
        self._prosody_words.say(obstacle)

    @Slot(bool)
    def _on_tray_icon(self, shown: bool) -> None:
        self._settings.tray_icon = shown

    @Slot(bool)
    def _on_diagnose(self, wanted: bool) -> None:
        self._settings.diagnose_while_speaking = wanted
