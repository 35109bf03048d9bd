from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.reader.places import Place, Places
from app.reader.reading import Reading
from engine.documents import Document
from engine.errors import InvalidRequest
from tests.app.reader.documents import BOOK, CHAPTERS, DOCUMENT, OPENED, OPENED_BOOK


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


@pytest.fixture
def book(tmp_path: Path) -> Reading:
    reading = Reading(Places(tmp_path / "p.json"))
    reading.begin(OPENED_BOOK)
    return reading


def titles(document: Document | None) -> list[str]:
    assert document is not None
    return [chapter.title for chapter in document.chapters]


def test_a_book_begins_with_its_first_chapter_that_is_read(book: Reading) -> None:
    assert book.place == Place(1)
    assert titles(book.document) == titles(BOOK)
    assert titles(book.chosen_document) == ["Chapter one", "Chapter two", "Chapter three"]


def test_what_is_not_read_is_passed_over(book: Reading) -> None:
    assert book.finish_chapter()
    assert book.place == Place(3, 0, frozenset({1}))
    assert (book.neighbour(-1), book.neighbour(1)) == (1, 4)
    book.go_to(4)
    assert book.neighbour(1) is None
    assert not book.finish_chapter()


def test_a_chapter_that_is_not_read_can_be_shown_and_leads_to_one_that_is(book: Reading) -> None:
    book.go_to(2)
    assert book.chapter is BOOK.chapters[2]
    book.hear(5)
    assert book.heard_share == 0
    assert book.finish_chapter()
    assert book.place.chapter == 3
    assert book.heard_share == 0


def test_only_what_is_read_counts_as_heard(book: Reading) -> None:
    book.finish_chapter()
    assert book.heard_share == pytest.approx(1 / 3, abs=0.02)
    book.choose(4, False)
    assert book.heard_share == pytest.approx(1 / 2, abs=0.02)


def test_what_was_chosen_is_remembered(book: Reading, tmp_path: Path) -> None:
    book.choose(0, True)
    book.choose(3, False)
    book.choose(3, False)
    again = Reading(Places(tmp_path / "p.json"))
    again.begin(OPENED_BOOK)
    assert titles(again.chosen_document) == ["Contents", "Chapter one", "Chapter three"]
    assert titles(again.as_chosen(OPENED)) == titles(DOCUMENT)


def test_without_a_chapter_that_is_read_nothing_is_left_to_be_spoken(book: Reading) -> None:
    for number in book.chosen:
        book.choose(number, False)
    assert book.heard_share == 0
    assert not book.finish_chapter()
    with pytest.raises(InvalidRequest, match="No chapter of “The Whole Book” is ticked"):
        _ = book.chosen_document


def test_notes_are_read_at_the_end_of_their_chapter_if_that_is_wanted(tmp_path: Path, book: Reading) -> None:
    def chapter(reading: Reading) -> str:
        assert reading.chapter is not None
        return reading.chapter.text

    assert chapter(book) == CHAPTERS[0].text
    reading = Reading(Places(tmp_path / "p.json"), notes=True)
    reading.begin(OPENED_BOOK)
    assert chapter(reading) == f"{CHAPTERS[0].text}\n\nA note on Chapter one."
    reading.choose_notes(False)
    assert chapter(reading) == CHAPTERS[0].text
    reading.choose_notes(True, at_once=False)
    assert chapter(reading) == CHAPTERS[0].text
    chosen = reading.chosen_document
    assert chosen is not None
    assert chosen.chapters[0].text.endswith("A note on Chapter one.")
    reading.go_to(3)
    assert chapter(reading).endswith("A note on Chapter two.")


def test_a_place_in_notes_that_are_no_longer_read_is_the_beginning_of_its_chapter(tmp_path: Path) -> None:
    places = Places(tmp_path / "p.json")
    places.keep(OPENED_BOOK.path, OPENED_BOOK.digest, Place(3, len(CHAPTERS[1].text) + 5))
    reading = Reading(places)
    reading.begin(OPENED_BOOK)
    assert reading.place == Place(3)
