"""The settings pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QFontDatabase, QShowEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QPushButton, QSizePolicy, QSystemTrayIcon, QTextBrowser, QWidget

from app.desktop.pages import shortcuts_html
from app.library.panels import limits
from app.main_menu import MainMenu
from app.read_along.text_size import SIZES_PIXELS
from app.settings import DEFAULT_TEXT_PIXELS, DEVICE_TITLES, LSTM_TITLES, Settings
from app.settings_window.page import LIST_CHARACTERS, GroupChoice, SettingsPage, ValueWithButton, WrappedLabel
from app.speech.activity import Activity
from app.speech.header_bar import HeaderBar
from app.speech.sliders import PauseSlider, SpeedSlider
from app.speech.voice_choice import prosody_of, voice_info
from app.speech.voice_picker import FINDING, VoicePicker
from app.theme import SERIF, reading_font
from app.widgets.controls import ComboBox
from app.widgets.file_dialogs import ask_which_folder, kinds_of_sound
from engine.compiler.artifacts.manifest import METAL_DEVICE
from engine.models.voices.packs import describe
from engine.runtime.preparation.devices import DEVICES, metal_unavailable_reason
from engine.runtime.preparation.lstm_methods import LSTM_PREFERENCES
from engine.speech import DeviceEvent, Prosody

SAMPLE = "The keeper lit the lamp, sat down by the window, and read aloud until the ships were home."
PROSODY_TITLES = {Prosody.LSTM: "LSTM (Original)", Prosody.TRANSFORMER: "Transformer"}
PROSODY_EXPLANATIONS = {
    Prosody.LSTM: "The model’s own LSTMs predict durations, pitch, and energy one step at a time.",
    Prosody.TRANSFORMER: "A Transformer trained on the LSTMs predicts all steps at once.",
}


class ReadingPage(SettingsPage):
    """The reading settings, kept in sync with the header.

    `voices_requested` asks for the list of voices.
    """

    voices_requested = Signal()

    def __init__(self, header: HeaderBar, notes: QActionGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picker = header.voices
        self.voice = ValueWithButton("Voice", parent=self)
        self.speed = SpeedSlider(self)
        self.pauses = PauseSlider(self)
        for slider in (self.speed, self.pauses):
            slider.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.notes = GroupChoice("Notes in documents", "Read footnotes and endnotes", notes, self)
        self.add_row("Voice", self.voice)
        self.add_row("Speed", self.speed)
        self.add_row("Pauses", self.pauses, "Pauses between sentences and paragraphs.")
        self.add_row("Notes in documents", self.notes, "Footnotes and endnotes. The current playback doesn’t change.")
        self.voice.button.clicked.connect(self.voices_requested)
        self._picker.currentIndexChanged.connect(self._show_voice)
        self._picker.listed.connect(self._show_voice)
        self._show_voice()
        self.speed.set_speed(header.speed.speed)
        self.speed.speed_changed.connect(header.speed.set_speed)
        header.speed.speed_changed.connect(self.speed.set_speed)
        self.pauses.set_pause_scale(header.pauses.pause_scale)
        self.pauses.pauses_changed.connect(header.pauses.set_pause_scale)
        header.pauses.pauses_changed.connect(self.pauses.set_pause_scale)

    @Slot()
    def _show_voice(self) -> None:
        choice, models = self._picker.choice, self._picker.models
        if choice.voice is None:
            self.voice.label.set_text(FINDING)
            return
        voice = voice_info(choice, models) or describe(choice.voice)
        model = next((each.title for each in models if each.model == choice.model), "")
        self.voice.label.set_text(f"{voice.title} ({model})" if model else voice.title)


class AppearancePage(SettingsPage):
    """Colors and the reading font, with a sample."""

    def __init__(self, appearances: QActionGroup, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.appearance = GroupChoice("Appearance", "Light or dark", appearances, self)
        self.font_choice = ComboBox("Reading font", "Font of text and books", LIST_CHARACTERS, self)
        self.font_choice.offer((family, title, "") for family, title in _fonts(settings.reading_font))
        self.size_choice = ComboBox("Text size", "Size of text and books", LIST_CHARACTERS, self)
        self.sample = WrappedLabel(SAMPLE, self)
        self.sample.setAccessibleName("Sample of the reading font")
        self.add_row("Appearance", self.appearance)
        self.add_row("Reading font", self.font_choice)
        self.add_row("Text size", self.size_choice)
        self.add_row("", self.sample)
        self.font_choice.chosen.connect(self._on_font)
        self.size_choice.chosen.connect(self._on_size)
        settings.changed.connect(self._follow)
        self._show()

    @Slot(object)
    def _on_font(self, family: str) -> None:
        self._settings.reading_font = family

    @Slot(object)
    def _on_size(self, pixels: int) -> None:
        self._settings.text_pixels = pixels

    @Slot(object)
    def _follow(self, setting: object) -> None:
        if setting in (Settings.reading_font, Settings.text_pixels):
            self._show()

    def _show(self) -> None:
        family, pixels = self._settings.reading_font, self._settings.text_pixels
        self.font_choice.choose(family)
        named = {DEFAULT_TEXT_PIXELS: f"{DEFAULT_TEXT_PIXELS} (Normal)"}
        self.size_choice.offer((size, named.get(size, str(size)), "") for size in sorted({*SIZES_PIXELS, pixels}))
        self.size_choice.choose(pixels)
        self.sample.setStyleSheet(f"font-size: {pixels}px;")
        self.sample.setFont(reading_font(family))


class ExportPage(SettingsPage):
    """The default folder and file format for exports."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.folder = ValueWithButton("Folder", parent=self)
        self.formats = ComboBox("Format", "Default file format for Export", LIST_CHARACTERS, self)
        kinds = kinds_of_sound().items()
        self.formats.offer([("", "Automatic", ""), *((suffix, f"{title} ({suffix})", "") for suffix, title in kinds)])
        self.add_row("Folder", self.folder, "Default folder for Save Audio and Export: the last one that you used.")
        self.add_row("Format", self.formats, "Automatic: an audiobook if there are chapters, or else MP3.")
        self.folder.button.clicked.connect(self._choose_folder)
        self.formats.chosen.connect(self._on_format)
        settings.changed.connect(self._follow)
        self._show()

    @Slot()
    def _choose_folder(self) -> None:
        ask_which_folder(self, "Choose a Folder", str(self._settings.save_folder), self._on_folder)

    def _on_folder(self, folder: Path) -> None:
        self._settings.save_folder = folder

    @Slot(object)
    def _on_format(self, suffix: str) -> None:
        self._settings.export_format = suffix

    @Slot(object)
    def _follow(self, setting: object) -> None:
        if setting in (Settings.save_folder, Settings.export_format):
            self._show()

    def _show(self) -> None:
        self.folder.label.set_text(str(self._settings.save_folder))
        self.formats.choose(self._settings.export_format)


class HistoryPage(SettingsPage):
    """The storage limit for saved audio."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.limit = ComboBox("Storage limit", "Disk space for saved audio", LIST_CHARACTERS, self)
        self.add_row(
            "Storage limit",
            self.limit,
            "Disk space for audio that you played. The oldest is deleted first; starred items are always kept.",
        )
        self.limit.chosen.connect(self._on_limit)
        settings.changed.connect(self._follow)
        self._show()

    @Slot(object)
    def _on_limit(self, megabytes: int) -> None:
        self._settings.kept_megabytes = megabytes

    @Slot(object)
    def _follow(self, setting: object) -> None:
        if setting is Settings.kept_megabytes:
            self._show()

    def _show(self) -> None:
        self.limit.offer(limits(self._settings.kept_megabytes))
        self.limit.choose(self._settings.kept_megabytes)


class ModelsPage(SettingsPage):
    """The installed models; `open_models` opens the window that downloads others."""

    def __init__(self, picker: VoicePicker, open_models: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picker = picker
        self.installed = WrappedLabel("", self)
        self.installed.setAccessibleName("Installed models")
        self.button = QPushButton("Manage Models…", self)
        self.button.setAutoDefault(False)
        self.add_row("Installed", self.installed)
        self.add_row("", self.button, "Download models, import your own, or remove those you don’t need.")
        self.button.clicked.connect(open_models.trigger)
        picker.listed.connect(self._show)
        picker.model_changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        lines = []
        for each in self._picker.models:
            count = len(each.voices)
            in_use = ", in use" if each.model == self._picker.speaking_model else ""
            lines.append(f"{each.title}: {count} {'voice' if count == 1 else 'voices'}{in_use}")
        self.installed.set_text("\n".join(lines) or "Looking for models…")


class ShortcutsPage(QTextBrowser):
    """All keyboard shortcuts, as currently assigned in the menus."""

    def __init__(self, menu: MainMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._menu = menu
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Keyboard shortcuts")

    def showEvent(self, event: QShowEvent) -> None:
        """List the shortcuts again."""
        super().showEvent(event)
        self.setHtml(shortcuts_html(self._menu))


def _fonts(chosen: str) -> Iterator[tuple[str, str]]:
    """Yield font families and their titles, including the chosen one even if it is no longer installed."""
    yield "", "System"
    yield SERIF, "Serif"
    families = QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
    public = {family for family in families if not QFontDatabase.isPrivateFamily(family)}
    for family in sorted(public | ({chosen} - {"", SERIF})):
        yield family, family


class AdvancedPage(SettingsPage):
    """The advanced settings.

    The signals carry the choice even if it has not changed, because choosing it again means to retry.
    """

    device_chosen = Signal(object)
    lstm_method_chosen = Signal(object)
    prosody_chosen = Signal(object)

    def __init__(self, settings: Settings, picker: VoicePicker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings, self._picker = settings, picker
        self.device = ComboBox("Device", "Device that generates speech", LIST_CHARACTERS, self)
        self.lstm_method = ComboBox("LSTM layers on Metal", "How LSTMs run on a GPU", LIST_CHARACTERS, self)
        self.prosody = ComboBox("Prosody", "Model that predicts durations, pitch, and energy", LIST_CHARACTERS, self)
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
    def show_activity(self, activity: Activity) -> None:
        """Show the device in use and the timings of the LSTM methods that were tried."""
        if (device := activity.device) is not None:
            self._show_device(device)

    def _offer(self) -> None:
        self.device.offer((device, DEVICE_TITLES[device], "") for device in DEVICES)
        self.lstm_method.offer((str(method), LSTM_TITLES[method], "") for method in LSTM_PREFERENCES)
        self.prosody.offer((each, PROSODY_TITLES[each], PROSODY_EXPLANATIONS[each]) for each in PROSODY_TITLES)
        if (unavailable_reason := metal_unavailable_reason()) is not None:
            self.device.forbid(METAL_DEVICE, unavailable_reason)
            self.lstm_method.setEnabled(False)
            self._lstm_words.set_text(unavailable_reason)
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
        self._device_words.set_text(f"In use: {device.device}")
        if self.lstm_method.isEnabled():
            self._lstm_words.set_text(f"In use: {device.lstm_method}")
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
        """Show the prosody that the model in use has; if it can't have the desired one, show the reason."""
        model, models = self._picker.speaking_model, self._picker.models
        unavailable_reason = next((each.students_unavailable_reason for each in models if each.model == model), "")
        self.prosody.setEnabled(self._picker.known)
        self.prosody.forbid(Prosody.TRANSFORMER, unavailable_reason)
        self.prosody.choose(prosody_of(model, models, self._settings.prosody))
        self._prosody_words.set_text(unavailable_reason)

    @Slot(bool)
    def _on_tray_icon(self, shown: bool) -> None:
        self._settings.tray_icon = shown

    @Slot(bool)
    def _on_diagnose(self, wanted: bool) -> None:
        self._settings.diagnose_while_speaking = wanted
