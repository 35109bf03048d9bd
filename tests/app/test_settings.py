from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from app.settings import USUAL_KEPT_MEGABYTES, USUAL_SPEED, USUAL_TEXT_PIXELS, Settings
from app.theme import Appearance
from engine.speech import Prosody


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.ini"


def opened(file: Path) -> Settings:
    return Settings(QSettings(str(file), QSettings.Format.IniFormat))


def test_a_first_start_has_sensible_values(file: Path) -> None:
    settings = opened(file)
    assert settings.text is None
    assert settings.voice is None
    assert settings.model is None
    assert not settings.models_offered
    assert settings.speed == USUAL_SPEED
    assert settings.appearance is Appearance.SYSTEM
    assert settings.device == settings.lstm_method == "auto"
    assert settings.prosody is Prosody.LSTM
    assert settings.save_folder == Path.home()
    assert settings.document is None
    assert settings.geometry.isEmpty()
    assert settings.split.isEmpty()
    assert settings.diagnostics_place.isEmpty()
    assert not settings.diagnostics_shown
    assert not settings.diagnose_while_speaking
    assert settings.side_bar == ""
    assert settings.side_bar_pixels is None
    assert settings.kept_megabytes == USUAL_KEPT_MEGABYTES
    assert settings.tray_icon
    assert not settings.notes_read
    assert settings.reading_font == settings.export_format == ""


def test_everything_comes_back_at_the_next_start(file: Path, tmp_path: Path) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    before = Settings(store)
    before.text = 'Hello, “you” 🙂\nand, you; too = \\ "quoted"'
    before.voice, before.speed, before.appearance = "am_adam", 1.35, Appearance.DARK
    before.device, before.lstm_method, before.prosody = "metal", "mps", Prosody.TRANSFORMER
    before.model, before.models_offered = "kokoro-82m", True
    before.geometry, before.split = QByteArray(b"\x00\x01"), QByteArray(b"\xff")
    before.save_folder, before.document = tmp_path, tmp_path / "a.epub"
    before.diagnostics_shown = before.diagnose_while_speaking = True
    before.diagnostics_place = QByteArray(b"\xfe\x00")
    before.side_bar, before.side_bar_pixels = "Chapters", 301
    before.kept_megabytes, before.notes_read = 250, True
    before.reading_font, before.export_format = "Noto Serif", ".mp3"
    before.tray_icon = False
    store.sync()
    after = opened(file)
    assert after.text == 'Hello, “you” 🙂\nand, you; too = \\ "quoted"'
    assert (after.voice, after.speed, after.appearance) == ("am_adam", 1.35, Appearance.DARK)
    assert (after.device, after.prosody) == ("metal", Prosody.TRANSFORMER)
    assert after.document == tmp_path / "a.epub"
    assert (after.model, after.models_offered) == ("kokoro-82m", True)
    assert (after.geometry, after.split) == (QByteArray(b"\x00\x01"), QByteArray(b"\xff"))
    assert after.diagnostics_shown
    assert after.diagnose_while_speaking
    assert after.diagnostics_place == QByteArray(b"\xfe\x00")
    assert after.save_folder == tmp_path
    assert (after.side_bar, after.side_bar_pixels) == ("Chapters", 301)
    assert (after.reading_font, after.export_format) == ("Noto Serif", ".mp3")
    assert (after.kept_megabytes, after.notes_read) == (250, True)
    assert not after.tray_icon


def test_what_earlier_versions_have_written_is_understood(file: Path) -> None:
    file.write_text(
        "[General]\nvoice=am_adam\nspeed=1.35\npauses=0.5\ntext_size=20\n"
        'favourite_voices="[[\\"am_adam\\", \\"m\\"]]"\n'
        "notes_read=True\ntray_icon=False\nprosody=transformer\n"
        "[history]\nkept_megabytes=250\n[window]\nappearance=dark\nside_bar_width=301\n[diagnostics]\nshown=True\n",
        encoding="utf-8",
    )
    settings = opened(file)
    assert (settings.voice, settings.speed, settings.pause_scale, settings.text_pixels) == ("am_adam", 1.35, 0.5, 20)
    assert (settings.favourites, settings.notes_read, settings.tray_icon) == ((("am_adam", "m"),), True, False)
    assert (settings.prosody, settings.appearance) == (Prosody.TRANSFORMER, Appearance.DARK)
    assert (settings.kept_megabytes, settings.side_bar_pixels, settings.diagnostics_shown) == (250, 301, True)


@pytest.mark.parametrize("nonsense", ["a.txt", "3", "[1]", '{"a": 1}', pytest.param("[" * 100_000, id="deep")])
def test_a_list_that_makes_no_sense_is_empty(file: Path, nonsense: str) -> None:
    QSettings(str(file), QSettings.Format.IniFormat).setValue(Settings.favourites.key, nonsense)
    assert opened(file).favourites == ()


@pytest.mark.parametrize("nonsense", ["fast", "nan", "inf", "", QByteArray(b"1")])
def test_a_speed_that_makes_no_sense_is_the_usual_one(file: Path, nonsense: object) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    store.setValue(Settings.speed.key, nonsense)
    assert Settings(store).speed == USUAL_SPEED


def test_an_unknown_device_is_the_automatic_one(file: Path) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    store.setValue(Settings.device.key, "abacus")
    assert Settings(store).device == "auto"


def test_an_unknown_prosody_is_the_models_own(file: Path) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    store.setValue(Settings.prosody.key, "guess")
    assert Settings(store).prosody is Prosody.LSTM


def test_an_unknown_appearance_is_the_systems(file: Path) -> None:
    store = QSettings(str(file), QSettings.Format.IniFormat)
    store.setValue(Settings.appearance.key, "sepia")
    assert Settings(store).appearance is Appearance.SYSTEM


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
    assert (settings.text_pixels, settings.side_bar_pixels) == (USUAL_TEXT_PIXELS, None)
    assert settings.kept_megabytes == USUAL_KEPT_MEGABYTES


def test_who_listens_hears_of_each_change_once_it_is_stored(file: Path) -> None:
    settings = opened(file)
    heard: list[tuple[object, object]] = []
    settings.changed.connect(lambda key: heard.append((key, settings.speed)))
    settings.speed = 1.5
    settings.speed = 1.5
    settings.speed = 2.0
    settings.document = None
    assert heard == [(Settings.speed, 1.5), (Settings.speed, 2.0)]
