"""Everything the window remembers, with types; the keys are all listed here."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from app.theme import Appearance
from engine.artifacts.manifest import CPU_DEVICE, METAL_DEVICE
from engine.ops.packed_lstm import LstmMethod
from engine.preparation.devices import AUTO, DEVICES
from engine.preparation.lstm_methods import LSTM_WISHES
from engine.speech import Prosody
from engine.system.json_text import json_value

USUAL_SPEED = 1.0
USUAL_PAUSES = 1.0
USUAL_TEXT_PIXELS = 16
TEXT_PIXELS = range(8, 97)
USUAL_KEPT_MEGABYTES = 1000
MOST_DIGITS = 9
DEVICE_TITLES = {AUTO: "Automatic", CPU_DEVICE: "CPU", METAL_DEVICE: "Metal GPU"}
LSTM_TITLES = {
    AUTO: "Automatic",
    LstmMethod.TIR: "Built-in kernels",
    LstmMethod.MPS: "Metal Performance Shaders",
}


class Key(Enum):
    """The names of all stored values."""

    TEXT = "text"
    DOCUMENT = "document"
    MODEL = "model"
    MODELS_OFFERED = "models_offered"
    VOICE = "voice"
    SPEED = "speed"
    PAUSES = "pauses"
    GEOMETRY = "window/geometry"
    SPLIT = "window/split"
    SIDE_BAR = "window/side_bar"
    SIDE_BAR_WIDTH = "window/side_bar_width"
    DIAGNOSTICS_PLACE = "diagnostics/place"
    DIAGNOSTICS_SHOWN = "diagnostics/shown"
    DIAGNOSE_WHILE_SPEAKING = "diagnose_while_speaking"
    APPEARANCE = "window/appearance"
    DEVICE = "device"
    LSTM_METHOD = "lstm_method"
    PROSODY = "prosody"
    SAVE_FOLDER = "save_folder"
    EXPORT_FORMAT = "export_format"
    TEXT_SIZE = "text_size"
    READING_FONT = "reading_font"
    FAVOURITES = "favourite_voices"
    KEPT_MEGABYTES = "history/kept_megabytes"
    TRAY_ICON = "tray_icon"
    NOTES_READ = "notes_read"


class Settings(QObject):
    """Reads values, with a default for any that is missing or invalid; writes them at once.

    `changed` carries the `Key` of a value that is another one from now on.
    """

    changed = Signal(object)

    def __init__(self, store: QSettings) -> None:
        super().__init__()
        self._store = store

    @property
    def path(self) -> Path:
        """The file of the settings."""
        return Path(self._store.fileName())

    @property
    def writable(self) -> bool:
        """Whether the settings can be written."""
        return self._store.isWritable()

    @property
    def written(self) -> datetime:
        """When they were last written, which they are now if anything has changed; long ago if they never were."""
        self._store.sync()
        try:
            return datetime.fromtimestamp(self.path.stat().st_mtime)
        except OSError:
            return datetime.min

    @property
    def text(self) -> str | None:
        """The text in the editor; None at the very first start."""
        return self._string(Key.TEXT)

    @text.setter
    def text(self, text: str) -> None:
        self._write(Key.TEXT, text)

    @property
    def document(self) -> Path | None:
        """The document that is being read; None while a text of one's own is in the editor."""
        path = self._string(Key.DOCUMENT)
        return Path(path) if path else None

    @document.setter
    def document(self, path: Path | None) -> None:
        self._write(Key.DOCUMENT, None if path is None else str(path.absolute()))

    @property
    def model(self) -> str | None:
        """The name of the model whose voice was chosen; None if none ever was."""
        return self._string(Key.MODEL)

    @model.setter
    def model(self, model: str | None) -> None:
        self._write(Key.MODEL, model)

    @property
    def models_offered(self) -> bool:
        """Whether the offer to fetch a model has been answered."""
        return self._string(Key.MODELS_OFFERED) == str(True)

    @models_offered.setter
    def models_offered(self, offered: bool) -> None:
        self._write(Key.MODELS_OFFERED, str(offered))

    @property
    def voice(self) -> str | None:
        """The name of the chosen voice; None if none ever was."""
        return self._string(Key.VOICE)

    @voice.setter
    def voice(self, voice: str | None) -> None:
        self._write(Key.VOICE, voice)

    @property
    def speed(self) -> float:
        """The speed; 1 is the model's own pace."""
        return self._number(Key.SPEED, USUAL_SPEED)

    @speed.setter
    def speed(self, speed: float) -> None:
        self._write(Key.SPEED, str(speed))

    @property
    def pause_scale(self) -> float:
        """How long pauses are; 1 is as long as usual."""
        return self._number(Key.PAUSES, USUAL_PAUSES)

    @pause_scale.setter
    def pause_scale(self, pause_scale: float) -> None:
        self._write(Key.PAUSES, str(pause_scale))

    @property
    def appearance(self) -> Appearance:
        """Light, dark, or the same as the system."""
        value = self._string(Key.APPEARANCE)
        return Appearance(value) if value in {each.value for each in Appearance} else Appearance.SYSTEM

    @appearance.setter
    def appearance(self, appearance: Appearance) -> None:
        self._write(Key.APPEARANCE, appearance.value)

    @property
    def device(self) -> str:
        """The device that the model should run on, one of `engine.preparation.devices.DEVICES`."""
        device = self._string(Key.DEVICE)
        return device if device in DEVICES else AUTO

    @device.setter
    def device(self, device: str) -> None:
        self._write(Key.DEVICE, device)

    @property
    def lstm_method(self) -> str:
        """What should compute LSTMs on a Mac's GPU, one of `engine.preparation.lstm_methods.LSTM_WISHES`."""
        method = self._string(Key.LSTM_METHOD)
        return method if method in LSTM_WISHES else AUTO

    @lstm_method.setter
    def lstm_method(self, method: str) -> None:
        self._write(Key.LSTM_METHOD, method)

    @property
    def prosody(self) -> Prosody:
        """What should predict the prosody of models that have a Transformer for it."""
        return Prosody.TRANSFORMER if self._string(Key.PROSODY) == Prosody.TRANSFORMER else Prosody.LSTM

    @prosody.setter
    def prosody(self, prosody: Prosody) -> None:
        self._write(Key.PROSODY, str(prosody))

    @property
    def text_pixels(self) -> int:
        """The size of the text."""
        size = self._whole(Key.TEXT_SIZE)
        return size if size is not None and size in TEXT_PIXELS else USUAL_TEXT_PIXELS

    @text_pixels.setter
    def text_pixels(self, pixels: int) -> None:
        self._write(Key.TEXT_SIZE, str(pixels))

    @property
    def reading_font(self) -> str:
        """The family of the font of texts and books: a name, `app.theme.SERIF`, or empty for the system's own."""
        return self._string(Key.READING_FONT) or ""

    @reading_font.setter
    def reading_font(self, family: str) -> None:
        self._write(Key.READING_FONT, family)

    @property
    def geometry(self) -> QByteArray:
        """The size and position of the window; empty when unknown."""
        return self._bytes(Key.GEOMETRY)

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._write(Key.GEOMETRY, geometry)

    @property
    def split(self) -> QByteArray:
        """How the height of the window is divided; empty when unknown."""
        return self._bytes(Key.SPLIT)

    @split.setter
    def split(self, split: QByteArray) -> None:
        self._write(Key.SPLIT, split)

    @property
    def side_bar(self) -> str:
        """The title of the panel in the side bar; empty when none is shown."""
        return self._string(Key.SIDE_BAR) or ""

    @side_bar.setter
    def side_bar(self, title: str) -> None:
        self._write(Key.SIDE_BAR, title)

    @property
    def side_bar_pixels(self) -> int | None:
        """The width of the side bar; None when unknown."""
        return self._whole(Key.SIDE_BAR_WIDTH)

    @side_bar_pixels.setter
    def side_bar_pixels(self, width: int) -> None:
        self._write(Key.SIDE_BAR_WIDTH, str(width))

    @property
    def diagnostics_place(self) -> QByteArray:
        """The size and position of the window of diagnostics; empty when unknown."""
        return self._bytes(Key.DIAGNOSTICS_PLACE)

    @diagnostics_place.setter
    def diagnostics_place(self, place: QByteArray) -> None:
        self._write(Key.DIAGNOSTICS_PLACE, place)

    @property
    def diagnostics_shown(self) -> bool:
        """Whether the window of diagnostics was open at last."""
        return self._string(Key.DIAGNOSTICS_SHOWN) == str(True)

    @diagnostics_shown.setter
    def diagnostics_shown(self, shown: bool) -> None:
        self._write(Key.DIAGNOSTICS_SHOWN, str(shown))

    @property
    def diagnose_while_speaking(self) -> bool:
        """Whether speech is diagnosed while the window of diagnostics is open, without being asked to."""
        return self._string(Key.DIAGNOSE_WHILE_SPEAKING) == str(True)

    @diagnose_while_speaking.setter
    def diagnose_while_speaking(self, wanted: bool) -> None:
        self._write(Key.DIAGNOSE_WHILE_SPEAKING, str(wanted))

    @property
    def save_folder(self) -> Path:
        """Where a file was last saved; the home folder if that no longer exists."""
        folder = Path(self._string(Key.SAVE_FOLDER) or "")
        return folder if folder.is_absolute() and os.path.isdir(folder) else Path.home()  # Path.is_dir raises OSError

    @save_folder.setter
    def save_folder(self, folder: Path) -> None:
        self._write(Key.SAVE_FOLDER, str(folder))

    @property
    def export_format(self) -> str:
        """The suffix of the files that are exported; empty for the one that suits what is exported."""
        return self._string(Key.EXPORT_FORMAT) or ""

    @export_format.setter
    def export_format(self, suffix: str) -> None:
        self._write(Key.EXPORT_FORMAT, suffix)

    @property
    def favourites(self) -> tuple[tuple[str, str], ...]:
        """The voices that are listed first, each with its model."""
        try:
            return tuple((str(voice), str(model)) for voice, model in json_value(self._string(Key.FAVOURITES) or "[]"))
        except (ValueError, TypeError):
            return ()

    @favourites.setter
    def favourites(self, favourites: Sequence[tuple[str, str]]) -> None:
        self._write(Key.FAVOURITES, json.dumps(favourites))

    @property
    def kept_megabytes(self) -> int:
        """How much sound the history keeps at most, in megabytes."""
        megabytes = self._whole(Key.KEPT_MEGABYTES)
        return USUAL_KEPT_MEGABYTES if megabytes is None else megabytes

    @kept_megabytes.setter
    def kept_megabytes(self, megabytes: int) -> None:
        self._write(Key.KEPT_MEGABYTES, str(megabytes))

    @property
    def tray_icon(self) -> bool:
        """Whether there should be an icon in the desktop's tray."""
        return self._string(Key.TRAY_ICON) != str(False)

    @tray_icon.setter
    def tray_icon(self, shown: bool) -> None:
        self._write(Key.TRAY_ICON, str(shown))

    @property
    def notes_read(self) -> bool:
        """Whether the notes of a chapter are read at its end, rather than left out."""
        return self._string(Key.NOTES_READ) == str(True)

    @notes_read.setter
    def notes_read(self, read: bool) -> None:
        self._write(Key.NOTES_READ, str(read))

    def _whole(self, key: Key) -> int | None:
        """A number of digits that Qt takes, too."""
        digits = self._string(key) or ""
        return int(digits) if digits.isdecimal() and len(digits) <= MOST_DIGITS else None

    def _number(self, key: Key, usual: float) -> float:
        try:
            number = float(self._string(key) or usual)
        except ValueError:
            return usual
        return number if math.isfinite(number) else usual

    def _string(self, key: Key) -> str | None:
        value = self._store.value(key.value)
        return value if isinstance(value, str) else None

    def _bytes(self, key: Key) -> QByteArray:
        value = self._store.value(key.value)
        return value if isinstance(value, QByteArray) else QByteArray()

    def _write(self, key: Key, value: str | QByteArray | None) -> None:
        if value == self._store.value(key.value):
            return
        if value is None:
            self._store.remove(key.value)
        else:
            self._store.setValue(key.value, value)
        self.changed.emit(key)
