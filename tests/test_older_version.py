"""Files that an earlier version wrote open unchanged: see `tests/older_version/README.md`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QSettings

from app.library.database import open_library
from app.library.history import History
from app.library.queue_store import QueueStore
from app.library.records import QueueState
from app.library.sounds import read_track
from app.reading.places import ReadingPositions
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.theme import Appearance
from engine.models.checkpoints import starter_voices
from engine.models.voices.blends import SavedVoices
from engine.speech import Prosody
from engine.stages import DEVICE_STAGES
from engine.validator.bundles.bundle_opening import open_bundle
from engine.validator.data.results import InputSource, Regime, Verdict


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return Path(shutil.copytree(Path(__file__).with_name("older_version"), tmp_path / "files"))


def test_settings(files: Path) -> None:
    settings = Settings(QSettings(str(files / "settings.ini"), QSettings.Format.IniFormat))
    assert settings.text == "Call me Ishmael. Some years ago, never mind how long."
    assert settings.document == Path("/books/moby-dick.epub")
    assert (settings.model, settings.models_offered, settings.voice) == ("kokoro-82m", True, "duet")
    assert settings.favorites == (("af_heart", "kokoro-82m"), ("am_adam", "starter"))
    assert (settings.speed, settings.pause_scale) == (1.25, 0.75)
    assert (settings.device, settings.lstm_method, settings.prosody) == ("cpu", "tir", Prosody.TRANSFORMER)
    assert (settings.appearance, settings.text_pixels, settings.tray_icon) == (Appearance.DARK, 20, False)
    assert (settings.geometry, settings.split) == (QByteArray(b"\x01\xd9\xd0\xcb\0\x03"), QByteArray(b"\0\0\0\xff"))
    assert (settings.side_bar, settings.side_bar_pixels) == ("History", 333)
    assert (settings.diagnostics_place, settings.diagnostics_shown) == (QByteArray(b"\x01\xd9\xd0\xcb"), True)
    assert (settings.save_folder, settings.kept_megabytes) == (Path("/tmp"), 250)


@pytest.fixture
def stores(files: Path) -> Iterator[tuple[History, QueueStore]]:
    database, reset = open_library(files / "library")
    assert reset is None
    history = History(database, files / "library", lambda: 2e9)
    history.limit(250)
    history.tidy()
    yield history, QueueStore(database)
    database.close()


def test_history_with_audio_and_word_times(stores: tuple[History, QueueStore]) -> None:
    history, _ = stores
    entries = {entry.title: entry for entry in history.listed().entries}
    assert list(entries) == ["Only its text was kept.", "A café – with a star.", "Good morning. Nine."]
    assert [entry.starred for entry in entries.values()] == [False, True, False]
    assert [(entry.voice, entry.speed) for entry in entries.values()] == [
        ("am_adam", 1.0),
        ("af_heart", 1.25),
        ("af_heart", 1.0),
    ]
    stored = history.recall(entries["Good morning. Nine."].number)
    assert (stored.request.text, stored.request.voice, stored.model) == ("Good morning. Nine.", "af_heart", "starter")
    assert stored.sound is not None
    track = read_track(stored.sound, stored.marks)
    assert [segment.utterance.text for segment in track.segments] == ["Good morning. Nine."]
    assert track.length / track.sample_rate_hz == pytest.approx(entries["Good morning. Nine."].seconds)
    assert np.abs(track.samples()).max() > 0.1
    words = [stored.request.text[word.start : word.end] for word in track.words.of_chunk(0)]
    assert words == ["Good", "morning", "Nine"]
    assert history.recall(entries["Only its text was kept."].number).sound is None


def test_queue(stores: tuple[History, QueueStore]) -> None:
    _, queue = stores
    played, saved, book = queue.listed().items
    assert (played.state, played.title, played.job.request.speed) == (QueueState.WAITING, "To be played later.", 1.5)
    assert (saved.state, saved.message, saved.job.target) == (
        QueueState.FAILED,
        "The disk is full.",
        Path("/books/saved.m4b"),
    )
    assert saved.job.request.pause_scale == 0.5
    assert (book.state, book.job.model, book.job.document) == (QueueState.DONE, "kokoro-82m", Path("/books/book.epub"))
    assert (book.job.request.voice, book.job.target) == ("duet", Path("/books/book.mp3"))


def test_places_in_books(files: Path) -> None:
    places = ReadingPositions(files / "places.json")
    place = places.of(Path("/elsewhere.epub"), "d" * 64)
    assert (place.chapter, place.character, place.heard) == (12, 345, {0, 1, 11})
    assert places.of(Path("/books/emma.txt"), "unknown").character == 7


def test_texts(files: Path) -> None:
    texts = [each.text for each in RecentTexts(files / "texts").texts]
    assert sorted(texts) == ["The first text of two.", "The second text,\nof two lines."]


def test_saved_blends(files: Path) -> None:
    blends = SavedVoices(files / "voices.json")
    assert set(blends.recipes()) == {"duet", "Ünique-1"}
    assert {each.name for each in blends.listed(starter_voices())} == {"duet", "Ünique-1"}


def test_an_exported_diagnosis(files: Path, tmp_path: Path) -> None:
    opened = open_bundle(files / "diagnosis.zip", tmp_path)
    assert (opened.name, opened.made) == ("Before the change", "2026-11-24T14:02:00+00:00")
    assert opened.report.passed
    assert opened.report.request.speech.text == "Hi."
    compiled = [row for row in opened.report.rows if row.regime == Regime.COMPILED]
    assert {row.reading for row in compiled} == {InputSource.ISOLATED, InputSource.END_TO_END}
    assert {row.verdict for row in compiled} == {Verdict.PASS}
    assert {row.stage for row in compiled} == {stage.name for stage in DEVICE_STAGES} | {"alignment"}
