from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.reader.places import Place, Places
from app.reader.reading import Reading
from tests.app.reader.documents import CHAPTERS, DOCUMENT, OPENED


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    reading = Reading(Places(tmp_path / "p.json"))
    reading.begin(OPENED)
    return reading


def test_a_document_begins_at_its_beginning(reading: Reading) -> None:
    assert reading.document is DOCUMENT
    assert reading.chapter is CHAPTERS[0]
    assert reading.heard_share == 0


def test_a_document_is_opened_where_it_was_left(reading: Reading, tmp_path: Path) -> None:
    reading.go_to(1)
    reading.hear(13)
    again = Reading(Places(tmp_path / "p.json"))
    again.begin(OPENED)
    assert again.place == Place(1, 13)


def test_chapters_that_are_no_longer_there_are_forgotten(tmp_path: Path) -> None:
    places = Places(tmp_path / "p.json")
    places.keep(OPENED.path, OPENED.digest, Place(7, 3, frozenset({1, 7})))
    reading = Reading(places)
    reading.begin(OPENED)
    assert reading.place == Place(heard=frozenset({1}))


def test_the_next_chapter_follows_one_that_was_heard(reading: Reading, qtbot: QtBot) -> None:
    with qtbot.waitSignal(reading.chapter_changed):
        assert reading.finish_chapter()
    assert reading.place == Place(1, 0, frozenset({0}))
    reading.hear(len(CHAPTERS[1].text) // 2)
    assert reading.heard_share == pytest.approx(0.5, abs=0.02)


def test_after_the_last_chapter_nothing_follows(reading: Reading) -> None:
    reading.go_to(2)
    assert not reading.finish_chapter()
    assert reading.place == Place(2, 0, frozenset({2}))


def test_there_is_no_chapter_before_the_first_or_behind_the_last(reading: Reading) -> None:
    for outside in (-1, 3):
        reading.go_to(outside)
        assert reading.place == Place()


def test_a_document_that_is_left_is_no_longer_open(reading: Reading) -> None:
    reading.hear(5)
    reading.leave()
    assert reading.document is None
    assert reading.chapter is None
    assert not reading.finish_chapter()
