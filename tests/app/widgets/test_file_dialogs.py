from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.file_dialogs import (
    ask_where_to_export,
    ask_where_to_save,
    ask_which_document,
    ask_which_model_file,
    ask_which_model_folder,
    local_files,
    suggested_name,
)
from engine.models.sources import IMPORTABLE_SUFFIXES


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hello, world! How are you today, my friend?", "Hello world How are you today.wav"),
        ("Don’t / stop: now", "Don’t stop now.wav"),
        ("…!?", "Speech.wav"),
        ("", "Speech.wav"),
        ("日本語の文章です", "日本語の文章です.wav"),
        ("a" * 300, "a" * 48 + ".wav"),
        ("../../etc/passwd", "etcpasswd.wav"),
    ],
)
def test_the_first_words_make_a_file_name(text: str, name: str) -> None:
    assert suggested_name(text) == name


@pytest.mark.parametrize(("ask", "name"), [(ask_where_to_save, "Hello.wav"), (ask_where_to_export, "Hello.zip")])
def test_a_name_is_offered_and_a_path_given_back(
    qtbot: QtBot, tmp_path: Path, ask: Callable[..., QFileDialog], name: str
) -> None:
    parent, chosen = QWidget(), []
    qtbot.addWidget(parent)
    dialog = ask(parent, tmp_path / name, chosen.append)
    assert dialog.selectedFiles() == [str(tmp_path / name)]
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    dialog.accept()
    assert chosen == [tmp_path / name]


def test_the_name_follows_the_format_that_is_chosen(qtbot: QtBot, tmp_path: Path) -> None:
    parent, chosen = QWidget(), []
    qtbot.addWidget(parent)
    dialog = ask_where_to_save(parent, tmp_path / "Hello.wav", chosen.append)
    assert [kind.split(" (")[0] for kind in dialog.nameFilters()] == [
        "WAV audio", "FLAC audio", "MP3 audio", "Ogg Vorbis audio", "Ogg Opus audio", "Audiobook", "M4A audio",
    ]  # fmt: skip
    dialog.selectNameFilter("MP3 audio (*.mp3)")
    dialog.filterSelected.emit("MP3 audio (*.mp3)")
    assert dialog.selectedFiles() == [str(tmp_path / "Hello.mp3")]
    dialog.selectFile("Other")
    dialog.accept()
    assert chosen == [tmp_path / "Other.mp3"]


def test_a_model_is_a_file_or_a_folder(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a.pth").touch()
    parent, chosen = QWidget(), []
    qtbot.addWidget(parent)
    for ask, path in ((ask_which_model_file, tmp_path / "a.pth"), (ask_which_model_folder, tmp_path)):
        dialog = ask(parent, chosen.append)
        if path.is_file():
            assert all(f"*{suffix}" in dialog.nameFilters()[0] for suffix in IMPORTABLE_SUFFIXES)
        dialog.setDirectory(str(tmp_path))
        dialog.selectFile(str(path))
        dialog.accept()
    assert chosen == [tmp_path / "a.pth", tmp_path]


def test_canceling_gives_back_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    parent, chosen = QWidget(), []
    qtbot.addWidget(parent)
    ask_which_document(parent, tmp_path, chosen.append).reject()
    assert not chosen


def test_addresses_of_the_web_are_no_files() -> None:
    content = QMimeData()
    content.setUrls([QUrl(url) for url in ("https://example.org/a", "file:///b.epub", "file:///c.epub")])
    assert local_files(content) == [Path("/b.epub"), Path("/c.epub")]
    assert local_files(QMimeData()) == []
