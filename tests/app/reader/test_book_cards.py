from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage

from app.reader.book_cards import CHARACTERS_PER_MINUTE, COVER_SIZE, SHARPNESS, Covers, reading_time
from app.reading.places import LibraryBook
from app.theme import LIGHT


@pytest.mark.parametrize(
    ("minutes", "speed", "words"), [(0, 1.0, "1 min"), (59, 1.0, "59 min"), (250, 2.0, "2 h 5 min")]
)
def test_times_are_in_hours_and_minutes(minutes: int, speed: float, words: str) -> None:
    assert reading_time(minutes * CHARACTERS_PER_MINUTE, speed) == words


BOOK = LibraryBook(Path("/books/a.epub"), "one", "A Book", "Somebody", 0.255)
COLOR = QColor("#102030")

pytestmark = pytest.mark.usefixtures("qapp")


def picture(width: int, height: int) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(COLOR)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return buffer.data().data()


def corner(covers: Covers) -> QColor:
    return covers.of(BOOK).toImage().pixelColor(2, 2)


def test_a_cover_is_stored_at_its_display_size(tmp_path: Path) -> None:
    Covers(tmp_path / "covers").store_cover("one", picture(400, 600))
    covers = Covers(tmp_path / "covers")
    assert corner(covers) == COLOR
    assert covers.of(BOOK).size() == COVER_SIZE * SHARPNESS


def test_a_book_without_a_cover_has_its_first_letter(tmp_path: Path) -> None:
    covers = Covers(tmp_path)
    assert corner(covers) == QColor(LIGHT.word)
    covers.store_cover("one", picture(40, 60))
    covers.remove("one")
    covers.remove("one")
    assert corner(covers) == QColor(LIGHT.word)


def test_a_cover_that_cannot_be_decoded_or_written_is_not_shown(tmp_path: Path) -> None:
    covers = Covers(tmp_path / "covers")
    covers.store_cover("one", b"no picture")
    assert corner(covers) == QColor(LIGHT.word)
    (tmp_path / "file").write_text("")
    covers = Covers(tmp_path / "file" / "covers")
    covers.store_cover("one", picture(40, 60))
    assert corner(covers) == QColor(LIGHT.word)
