from collections.abc import Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from app.settings import DEFAULT_KEPT_MEGABYTES, DEFAULT_SPEED, DEFAULT_TEXT_PIXELS, Settings
from app.theme import Appearance
from engine.speech import Prosody


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.ini"


def opened(file: Path) -> Settings:
    return Settings(QSettings(str(file), QSettings.Format.IniFormat))


def values_of(settings: Settings, names: Iterable[str]) -> dict[str, object]:
    return {name: getattr(settings, name) for name in names}


def test_a_first_start_has_sensible_values(file: Path) -> None:
    default = {
        "text": None, "voice": None, "model": None, "models_offered": False, "speed": DEFAULT_SPEED,
        "appearance": Appearance.SYSTEM, "device": "auto", "lstm_method": "auto", "prosody": Prosody.LSTM,
        "save_folder": Path.home(), "document": None, "geometry": QByteArray(), "split": QByteArray(),
        "diagnostics_place": QByteArray(), "diagnostics_shown": False, "diagnose_while_speaking": False,
        "side_bar": "", "side_bar_pixels": None, "kept_megabytes": DEFAULT_KEPT_MEGABYTES, "tray_icon": True,
        "notes_read": False, "reading_font": "", "export_format": "", "shares_voices": False, "server_port": 8880,
    }  # fmt: skip
    assert values_of(opened(file), default) == default


def test_everything_comes_back_at_the_next_start(file: Path, tmp_path: Path) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    before = Settings(store)
    chosen = {
        "text": 'Hello, “you” 🙂\nand, you; too = \\ "quoted"', "voice": "am_adam", "speed": 1.35,
        "appearance": Appearance.DARK, "device": "metal", "lstm_method": "mps", "prosody": Prosody.TRANSFORMER,
        "model": "kokoro-82m", "models_offered": True, "geometry": QByteArray(b"\x00\x01"),
        "split": QByteArray(b"\xff"), "save_folder": tmp_path, "document": tmp_path / "a.epub",
        "diagnostics_shown": True, "diagnose_while_speaking": True, "diagnostics_place": QByteArray(b"\xfe\x00"),
        "side_bar": "Chapters", "side_bar_pixels": 301, "kept_megabytes": 250, "notes_read": True,
        "reading_font": "Noto Serif", "export_format": ".mp3", "tray_icon": False, "shares_voices": True,
        "server_port": 9000,
    }  # fmt: skip
    for name, value in chosen.items():
        setattr(before, name, value)
    store.sync()
    assert values_of(opened(file), chosen) == chosen


def test_settings_written_by_earlier_versions_are_understood(file: Path) -> None:
    file.write_text(
        "[General]\nvoice=am_adam\nspeed=1.35\npauses=0.5\ntext_size=20\n"
        'favourite_voices="[[\\"am_adam\\", \\"m\\"]]"\n'
        "notes_read=True\ntray_icon=False\nprosody=transformer\n"
        "[history]\nkept_megabytes=250\n[window]\nappearance=dark\nside_bar_width=301\n[diagnostics]\nshown=True\n",
        encoding="utf-8",
    )
    settings = opened(file)
    assert (settings.voice, settings.speed, settings.pause_scale, settings.text_pixels) == ("am_adam", 1.35, 0.5, 20)
    assert (settings.favorites, settings.notes_read, settings.tray_icon) == ((("am_adam", "m"),), True, False)
    assert (settings.prosody, settings.appearance) == (Prosody.TRANSFORMER, Appearance.DARK)
    assert (settings.kept_megabytes, settings.side_bar_pixels, settings.diagnostics_shown) == (250, 301, True)


@pytest.mark.parametrize("nonsense", ["a.txt", "3", "[1]", '{"a": 1}', pytest.param("[" * 100_000, id="deep")])
def test_a_list_that_makes_no_sense_is_empty(file: Path, nonsense: str) -> None:
    QSettings(str(file), QSettings.Format.IniFormat).setValue(Settings.favorites.key, nonsense)
    assert opened(file).favorites == ()


@pytest.mark.parametrize(
    ("name", "nonsense", "default"),
    [
        *(("speed", nonsense, DEFAULT_SPEED) for nonsense in ("fast", "nan", "inf", "", QByteArray(b"1"))),
        ("device", "abacus", "auto"),
        ("prosody", "guess", Prosody.LSTM),
        ("appearance", "sepia", Appearance.SYSTEM),
        *(("server_port", nonsense, 8880) for nonsense in ("80", "65536", "-1", "web", "")),
        ("shares_voices", "perhaps", False),
    ],
)
def test_a_choice_that_makes_no_sense_is_the_usual_one(
    file: Path, name: str, nonsense: object, default: object
) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    store.setValue(getattr(Settings, name).key, nonsense)
    assert getattr(Settings(store), name) == default


def test_a_folder_that_has_gone_is_the_home_folder(file: Path, tmp_path: Path) -> None:
    settings = opened(file)
    for name in ("gone", "x" * 300):  # the second is longer than the system allows
        settings.save_folder = tmp_path / name
        assert settings.save_folder == Path.home()


@pytest.mark.parametrize("nonsense", ["9" * 5000, "99999999999", "-3", "wide", ""])
def test_a_number_that_makes_no_sense_is_the_usual_one(file: Path, nonsense: str) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    for setting in (Settings.text_pixels, Settings.side_bar_pixels, Settings.kept_megabytes):
        store.setValue(setting.key, nonsense)
    settings = Settings(store)
    assert (settings.text_pixels, settings.side_bar_pixels) == (DEFAULT_TEXT_PIXELS, None)
    assert settings.kept_megabytes == DEFAULT_KEPT_MEGABYTES


def test_listeners_receive_each_change_after_it_is_stored(file: Path) -> None:
    settings = opened(file)
    heard: list[tuple[object, object]] = []
    settings.changed.connect(lambda key: heard.append((key, settings.speed)))
    settings.speed = 1.5
    settings.speed = 1.5
    settings.speed = 2.0
    settings.document = None
    assert heard == [(Settings.speed, 1.5), (Settings.speed, 2.0)]
