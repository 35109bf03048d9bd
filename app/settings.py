"""The settings of the window: declared fields, each with its key, default and parser."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Collection
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from app.theme import Appearance
from engine.compiler.artifacts.manifest import CPU_DEVICE, METAL_DEVICE
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.preparation.lstm_methods import LSTM_PREFERENCES
from engine.server.hosting import DEFAULT_PORT
from engine.speech import Prosody
from engine.system.json_text import json_value

DEFAULT_SPEED = 1.0
DEFAULT_PAUSES = 1.0
DEFAULT_TEXT_PIXELS = 16
TEXT_PIXELS = range(8, 97)
DEFAULT_KEPT_MEGABYTES = 1000
PORTS = range(1024, 65_536)
"""Smaller ports are reserved for the system."""
MAX_DIGITS = 9
DEVICE_TITLES = {AUTO: "Automatic", CPU_DEVICE: "CPU", METAL_DEVICE: "Metal GPU"}
LSTM_TITLES = {
    AUTO: "Automatic",
    LstmMethod.TIR: "Built-in kernels",
    LstmMethod.MPS: "Metal Performance Shaders",
}

Value = TypeVar("Value")
Member = TypeVar("Member", bound=Enum)
Voices = tuple[tuple[str, str], ...]


class Setting(Generic[Value]):
    """A field of `Settings` under a key of its store.

    `read` parses a stored object, a string if it was ever written and not tampered with; `written` converts a value for
    storage, or returns None to store nothing.
    """

    def __init__(
        self, key: str, read: Callable[[object], Value], written: Callable[[Value], str | QByteArray | None] = str
    ) -> None:
        self.key = key
        self.read = read
        self.written = written

    @overload
    def __get__(self, settings: None, owner: type[Settings]) -> Setting[Value]: ...

    @overload
    def __get__(self, settings: Settings, owner: type[Settings]) -> Value: ...

    def __get__(self, settings: Settings | None, owner: type[Settings]) -> Setting[Value] | Value:
        return self if settings is None else self.read(settings.stored(self.key))

    def __set__(self, settings: Settings, value: Value) -> None:
        settings.store(self, self.written(value))


def _text(key: str) -> Setting[str | None]:
    return Setting(key, _string, lambda value: value)


def _string_setting(key: str) -> Setting[str]:
    return Setting(key, lambda stored: _string(stored) or "")


def _flag(key: str, default: bool = False) -> Setting[bool]:
    return Setting(key, lambda stored: not default if _string(stored) == str(not default) else default)


def _number(key: str, default: float) -> Setting[float]:
    def read(stored: object) -> float:
        try:
            number = float(_string(stored) or default)
        except ValueError:
            return default
        return number if math.isfinite(number) else default

    return Setting(key, read)


def _one_of(key: str, values: Collection[str], default: str) -> Setting[str]:
    return Setting(key, lambda stored: stored if isinstance(stored, str) and stored in values else default)


def _member(key: str, default: Member) -> Setting[Member]:
    members = {member.value: member for member in type(default)}
    return Setting(key, lambda stored: members.get(_string(stored), default), lambda member: str(member.value))


def _bytes(key: str) -> Setting[QByteArray]:
    """Return a setting that is empty while unknown."""
    return Setting(key, lambda stored: stored if isinstance(stored, QByteArray) else QByteArray(), lambda value: value)


def _string(stored: object) -> str | None:
    return stored if isinstance(stored, str) else None


def _whole(stored: object) -> int | None:
    """Parse digits, if the number is small enough for Qt."""
    digits = _string(stored) or ""
    return int(digits) if digits.isdecimal() and len(digits) <= MAX_DIGITS else None


def _text_size(stored: object) -> int:
    size = _whole(stored)
    return size if size is not None and size in TEXT_PIXELS else DEFAULT_TEXT_PIXELS


def _megabytes(stored: object) -> int:
    megabytes = _whole(stored)
    return DEFAULT_KEPT_MEGABYTES if megabytes is None else megabytes


def _port(stored: object) -> int:
    port = _whole(stored)
    return port if port is not None and port in PORTS else DEFAULT_PORT


def _document(stored: object) -> Path | None:
    path = _string(stored)
    return Path(path) if path else None


def _folder(stored: object) -> Path:
    folder = Path(_string(stored) or "")
    return folder if folder.is_absolute() and os.path.isdir(folder) else Path.home()  # Path.is_dir raises OSError


def _favorites(stored: object) -> Voices:
    try:
        return tuple((str(voice), str(model)) for voice, model in json_value(_string(stored) or "[]"))
    except (ValueError, TypeError):
        return ()


class Settings(QObject):
    """The app's settings; missing or invalid values have a default, and changes are written immediately.

    `changed` carries the `Setting` whose value has changed, such as `Settings.speed`.
    """

    changed = Signal(object)

    text = _text("text")
    """The text in the editor; None at the very first start."""
    document = Setting("document", _document, lambda path: None if path is None else str(path.absolute()))
    """The open document; None while the user's text is in the editor."""
    project = Setting("project", _document, lambda path: None if path is None else str(path.absolute()))
    """The file of the project in the editor; None for any other text."""
    project_digest = _string_setting("project_digest")
    """The digest of the project's file as it was last read or written."""
    model = _text("model")
    """The name of the model whose voice was chosen; None if none ever was."""
    models_offered = _flag("models_offered")
    """True if the user has answered the offer to download a model."""
    voice = _text("voice")
    """The name of the chosen voice; None if none ever was."""
    favorites = Setting("favourite_voices", _favorites, json.dumps)
    """The favorite voices, which are listed first, each with its model."""
    speed = _number("speed", DEFAULT_SPEED)
    """The speed; 1 is the model's own pace."""
    pause_scale = _number("pauses", DEFAULT_PAUSES)
    """The length of pauses; 1 is normal."""
    notes_read = _flag("notes_read")
    """True if the notes of a chapter are read at its end, False if they are left out."""
    appearance = _member("window/appearance", Appearance.SYSTEM)
    """Light, dark, or the same as the system."""
    text_pixels = Setting("text_size", _text_size)
    """The size of the text."""
    reading_font = _string_setting("reading_font")
    """The font family of texts and books: a name, `app.theme.SERIF`, or empty for the system font."""
    geometry = _bytes("window/geometry")
    """The size and position of the window."""
    split = _bytes("window/split")
    """The division of the window's height."""
    side_bar = _string_setting("window/side_bar")
    """The title of the panel in the side bar; empty when none is shown."""
    side_bar_pixels = Setting("window/side_bar_width", _whole)
    """The width of the side bar; None when unknown."""
    device = _one_of("device", DEVICES, AUTO)
    """The device that the model should run on, one of `engine.runtime.preparation.devices.DEVICES`."""
    lstm_method = _one_of("lstm_method", LSTM_PREFERENCES, AUTO)
    """The method for LSTMs on a Mac's GPU, one of `engine.runtime.preparation.lstm_methods.LSTM_PREFERENCES`."""
    prosody = _member("prosody", Prosody.LSTM)
    """The prosody predictor, for models that include a Transformer."""
    save_folder = Setting("save_folder", _folder)
    """The folder of the last saved file; the home folder if that no longer exists."""
    export_format = _string_setting("export_format")
    """The suffix of exported files; empty for the suffix that suits the content."""
    kept_megabytes = Setting("history/kept_megabytes", _megabytes)
    """The storage limit for audio in the history, in megabytes."""
    tray_icon = _flag("tray_icon", default=True)
    """True if the desktop's tray shows an icon."""
    editor_place = _bytes("editor/place")
    """The size and position of the Shape Speech window."""
    play_changes = _flag("editor/play_changes", default=True)
    """True if a sentence is played after each change in the Shape Speech window."""
    lexicon_place = _bytes("lexicon/place")
    """The size and position of the Pronunciations window."""
    diagnostics_place = _bytes("diagnostics/place")
    """The size and position of the Diagnostics window."""
    diagnostics_shown = _flag("diagnostics/shown")
    """True if the Diagnostics window was open last time."""
    diagnose_while_speaking = _flag("diagnose_while_speaking")
    """True if speech is diagnosed automatically while the Diagnostics window is open."""

    shares_voices = _flag("server/on")
    """True if other apps on this computer can use the voices."""
    server_port = Setting("server/port", _port)
    """The port for other apps, one of `PORTS`."""

    def __init__(self, store: QSettings) -> None:
        super().__init__()
        self._store = store

    @property
    def path(self) -> Path:
        """The file of the settings."""
        return Path(self._store.fileName())

    @property
    def writable(self) -> bool:
        """True if the settings can be written."""
        return self._store.isWritable()

    @property
    def written(self) -> datetime:
        """The time of the last change, after saving pending changes; `datetime.min` if the file does not exist."""
        self._store.sync()
        try:
            return datetime.fromtimestamp(self.path.stat().st_mtime)
        except OSError:
            return datetime.min

    def stored(self, key: str) -> object:
        """Return the value stored under a key; None if there is none."""
        return self._store.value(key)

    def store(self, setting: Setting[Any], value: str | QByteArray | None) -> None:
        """Store a value, and emit `changed` if it differs from the previous one."""
        if value == self.stored(setting.key):
            return
        if value is None:
            self._store.remove(setting.key)
        else:
            self._store.setValue(setting.key, value)
        self.changed.emit(setting)
