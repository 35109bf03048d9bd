import sqlite3
from pathlib import Path

import pytest

from app.library.database import FILE, LibraryUnusable, open_library
from tests.app.library.example_library import ExampleLibrary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    example_library = ExampleLibrary(folder)
    for number in range(100):
        example_library.speak(f"Text {number}.")
    example_library.database.close()
    return folder


def damage(path: Path, offset: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xff" * 4096)


@pytest.mark.parametrize("offset", [0, 3 * 4096])
def test_a_damaged_file_is_set_aside_with_its_sounds_and_replaced(folder: Path, offset: int) -> None:
    damage(folder / FILE, offset)
    example_library = ExampleLibrary(folder)
    assert example_library.titles() == []
    assert example_library.aside is not None
    assert example_library.aside.folder.parent == folder.parent
    assert (example_library.aside.folder / FILE).exists()
    assert len(list((example_library.aside.folder / "sounds").iterdir())) == 100
    example_library.database.close()
    assert ExampleLibrary(folder).aside is None


def test_an_empty_file_is_a_new_library(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    database, aside = open_library(tmp_path)
    assert aside is None
    database.close()


def test_a_folder_that_cannot_be_created_is_reported_and_nothing_moves(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("not a folder")
    with pytest.raises(LibraryUnusable, match="can’t be saved"):
        open_library(tmp_path / "library")
    assert (tmp_path / "library").read_text() == "not a folder"


def test_a_library_of_a_newer_version_is_left_alone(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(LibraryUnusable, match="newer version"):
        open_library(folder)
    assert len(list(folder.parent.iterdir())) == 1


def test_a_library_locked_by_a_different_program_does_not_count_as_damaged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.database.LOCK_SECONDS", 0.05)
    holder = sqlite3.connect(folder / FILE, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LibraryUnusable, match="locked"):
        open_library(folder)
    holder.close()
    assert folder.exists()


def test_a_table_whose_description_is_damaged_is_set_aside(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_master SET sql = CAST(? AS TEXT) WHERE name = 'item'",
            (b"CREATE TABLE item (number INTEGER NOT NUL\xff)",),
        )
    database.close()
    example_library = ExampleLibrary(folder)
    assert example_library.aside is not None
    example_library.database.close()
