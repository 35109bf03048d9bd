from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.reading.places import LibraryBook, ReadingPosition, ReadingPositions
from app.reading.reading import Reading
from engine.errors import InvalidRequest, NothingToSpeak
from engine.speech import SpeechRequest, UtteranceEdit
from engine.text.documents import Document
from tests.app.reading.documents import BOOK, CHAPTERS, DOCUMENT, OPENED, OPENED_BOOK
from tests.app.reading.fake_speaker import FakeSpeaker

SPEECH_SETTINGS = SpeechRequest("", "af_heart", 1.25)
OWN = "A text of mine. It has three sentences. This is the last."


class Desk:
    """A reading with all that it needs; `again` is a new one, as after a restart."""

    def __init__(self, folder: Path, *, notes: bool = False) -> None:
        self.folder = folder
        self.own = OWN
        self.speech_settings: SpeechRequest | None = SPEECH_SETTINGS
        self.speaker = FakeSpeaker()
        places = ReadingPositions(folder / "p.json")
        self.reading = Reading(self.speaker, places, lambda: self.speech_settings, lambda: self.own, notes=notes)
        self.speaker.reading = self.reading

    def hear_all(self) -> None:
        """Play the current chapter to its end."""
        chapter = self.reading.chapter
        while self.speaker.playback is Playback.PLAYING and self.reading.chapter is chapter:
            self.speaker.hear_on()

    def again(self, *, notes: bool = False) -> Reading:
        return Desk(self.folder, notes=notes).reading


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def reading(desk: Desk) -> Reading:
    desk.reading.open(OPENED)
    return desk.reading


@pytest.fixture
def book(desk: Desk) -> Reading:
    desk.reading.open(OPENED_BOOK)
    return desk.reading


def place(reading: Reading) -> tuple[int, int]:
    return reading.place.chapter, reading.place.character


def titles(document: Document | None) -> list[str]:
    return [chapter.title for chapter in document.chapters]


def test_a_document_begins_at_its_beginning(reading: Reading) -> None:
    assert reading.document is DOCUMENT
    assert reading.chapter is CHAPTERS[0]
    assert reading.progress == 0


def test_play_resumes_from_the_position_after_a_stop(desk: Desk, reading: Reading) -> None:
    reading.play()
    desk.speaker.hear_on()
    reading.stop()
    assert place(reading) == (0, CHAPTERS[0].text.index("It begins"))
    reading.play()
    assert desk.speaker.began[-1] == CHAPTERS[0].text.index("It begins")


def test_play_resumes_from_the_position_after_a_restart(desk: Desk, reading: Reading) -> None:
    reading.go_to(1)
    reading.play()
    desk.speaker.hear_on()
    after = Desk(desk.folder)
    after.reading.open(OPENED)
    after.reading.play()
    assert after.speaker.request == SpeechRequest(CHAPTERS[1].text, "af_heart", 1.25, start=13)


def test_play_resumes_at_a_newly_chosen_chapter(desk: Desk, reading: Reading) -> None:
    reading.play()
    desk.speaker.hear_on()
    reading.stop()
    reading.go_to(2)
    assert desk.speaker.source is None
    reading.play()
    assert desk.speaker.text == CHAPTERS[2].text
    assert desk.speaker.began[-1] == 0


def test_a_chapter_chosen_during_playback_plays_immediately(desk: Desk, reading: Reading) -> None:
    reading.play()
    reading.go_to(2)
    assert desk.speaker.playback is Playback.PLAYING
    assert desk.speaker.text == CHAPTERS[2].text


def test_a_click_plays_in_the_displayed_chapter(desk: Desk, reading: Reading) -> None:
    reading.play()
    reading.pause()
    reading.go_to(2)
    reading.play_from(15)
    assert (desk.speaker.text, desk.speaker.began[-1]) == (CHAPTERS[2].text, 15)


def test_opening_a_different_document_ends_playback_of_the_previous_one(desk: Desk, reading: Reading) -> None:
    reading.play()
    reading.open(OPENED_BOOK)
    assert desk.speaker.playback is Playback.STOPPED
    assert desk.speaker.source is None
    reading.close()
    assert reading.text == OWN


def test_the_next_chapter_follows_a_finished_one(desk: Desk, reading: Reading, qtbot: QtBot) -> None:
    reading.play()
    with qtbot.waitSignal(reading.text_changed):
        desk.hear_all()
    assert place(reading) == (1, 0)
    assert reading.place.heard == {0}
    assert desk.speaker.text == CHAPTERS[1].text
    assert desk.speaker.playback is Playback.PLAYING


def test_progress_is_how_far_the_place_is(desk: Desk, reading: Reading) -> None:
    reading.go_to(2)
    assert reading.progress == pytest.approx(2 / 3, abs=0.02)
    reading.play()
    desk.hear_all()
    assert reading.progress == 1
    reading.go_to(0)
    assert reading.progress == 0
    assert reading.place.heard == {2}


def test_after_the_last_chapter_play_begins_again(desk: Desk, reading: Reading) -> None:
    reading.go_to(2)
    reading.play()
    desk.hear_all()
    assert reading.at_end
    assert desk.speaker.playback is Playback.STOPPED
    reading.play()
    assert desk.speaker.text == CHAPTERS[0].text


def test_there_is_no_chapter_before_the_first_or_behind_the_last(reading: Reading) -> None:
    for outside in (-1, 3):
        reading.go_to(outside)
        assert place(reading) == (0, 0)


def test_the_users_own_text_resumes_from_its_position(desk: Desk) -> None:
    desk.reading.play()
    desk.speaker.hear_on()
    desk.reading.stop()
    desk.reading.play()
    assert desk.speaker.began == [0, OWN.index("It has")]
    while desk.speaker.playback is Playback.PLAYING:
        desk.speaker.hear_on()
    assert desk.reading.at_end
    desk.reading.play()
    assert desk.speaker.began[-1] == 0


@pytest.mark.parametrize("written_after_the_end", [False, True])
def test_play_resumes_at_text_that_was_added_at_the_end(desk: Desk, written_after_the_end: bool) -> None:
    desk.reading.play()
    if written_after_the_end:
        desk.hear_all()
    more = "\n\nA new paragraph."
    desk.own += more
    desk.reading.edited(len(OWN), 0, len(more))
    desk.hear_all()
    assert not desk.reading.at_end
    desk.reading.play()
    assert desk.speaker.text == desk.own
    assert desk.speaker.began[-1] == desk.own.index("A new")


def test_the_same_speech_resumes_after_an_edit_elsewhere(desk: Desk) -> None:
    desk.reading.play()
    desk.speaker.hear_on()
    desk.reading.pause()
    request = desk.speaker.request
    desk.own = f"More. {OWN}"
    desk.reading.edited(0, 0, 6)
    desk.reading.play()
    assert desk.speaker.request is request
    assert desk.reading.shown_character(desk.speaker.began[-1]) == 6 + OWN.index("It has")


def test_play_uses_the_current_text_after_later_words_were_edited(desk: Desk) -> None:
    desk.reading.play()
    desk.speaker.hear_on()
    desk.reading.pause()
    desk.own = OWN.replace("last", "end")
    desk.reading.edited(OWN.index("last"), 4, 3)
    desk.reading.play()
    assert desk.speaker.text == desk.own
    assert desk.speaker.began[-1] == OWN.index("It has")


def test_after_a_stop_a_new_voice_speaks_from_the_position(desk: Desk) -> None:
    desk.reading.play()
    desk.speaker.hear_on()
    desk.reading.stop()
    desk.speech_settings = SpeechRequest("", "am_adam")
    desk.reading.play()
    assert desk.speaker.request == SpeechRequest(OWN, "am_adam", start=OWN.index("It has"))


def test_a_selection_does_not_move_the_place(desk: Desk, reading: Reading) -> None:
    reading.play()
    desk.speaker.hear_on()
    reading.stop()
    before = place(reading)
    reading.play_part(0, 11)
    assert desk.speaker.request.part == "Chapter one"
    desk.hear_all()
    assert place(reading) == before
    reading.play()
    assert desk.speaker.began[-1] == before[1]


def test_a_play_request_waits_for_a_voice(desk: Desk, reading: Reading) -> None:
    desk.speech_settings = None
    reading.play_from(15)
    assert desk.speaker.request is None
    desk.speech_settings = SPEECH_SETTINGS
    reading.begin_waiting()
    assert desk.speaker.began == [13]
    reading.begin_waiting()
    assert desk.speaker.began == [13]


def test_without_text_there_is_nothing_to_play(desk: Desk, qtbot: QtBot) -> None:
    desk.own = " \n"
    with qtbot.waitSignal(desk.reading.refused, check_params_cb=lambda error: isinstance(error, NothingToSpeak)):
        desk.reading.play()
    assert desk.speaker.request is None


def test_a_bookmark_is_put_and_taken_away_in_the_same_sentence(reading: Reading, desk: Desk) -> None:
    reading.go_to(1, 13)
    reading.mark_place()
    again = desk.again()
    again.open(OPENED)
    (bookmark,) = again.place.bookmarks
    assert (bookmark.chapter, bookmark.character) == (1, 13)
    reading.go_to(1, 15)
    reading.mark_place()
    assert reading.place.bookmarks == ()


def test_a_book_begins_with_its_first_chapter_that_is_read(book: Reading) -> None:
    assert place(book) == (1, 0)
    assert titles(book.document) == titles(BOOK)
    assert titles(book.chosen_document) == ["Chapter one", "Chapter two", "Chapter three"]


def test_excluded_chapters_are_skipped(desk: Desk, book: Reading) -> None:
    book.play()
    desk.hear_all()
    assert place(book) == (3, 0)
    assert (book.neighbor(-1), book.neighbor(1)) == (1, 4)
    book.go_to(4)
    assert book.neighbor(1) is None


def test_an_excluded_chapter_can_be_shown_and_leads_to_an_included_one(desk: Desk, book: Reading) -> None:
    book.go_to(2)
    assert book.chapter is BOOK.chapters[2]
    book.play()
    before = book.progress
    desk.hear_all()
    assert book.place.chapter == 3
    assert book.progress == before


def test_chapter_choices_are_remembered(book: Reading, desk: Desk) -> None:
    book.choose(0, True)
    book.choose(3, False)
    book.choose(3, False)
    again = desk.again()
    again.open(OPENED_BOOK)
    assert titles(again.chosen_document) == ["Contents", "Chapter one", "Chapter three"]
    assert titles(again.as_chosen(OPENED)) == titles(DOCUMENT)


def test_without_a_chapter_that_is_read_nothing_is_left_to_be_spoken(book: Reading) -> None:
    for number in book.chosen:
        book.choose(number, False)
    assert book.progress == 0
    assert book.neighbor(1) is None
    with pytest.raises(InvalidRequest, match="No chapter of “The Whole Book” is selected"):
        _ = book.chosen_document


def test_notes_are_read_at_the_end_of_their_chapter_if_enabled(book: Reading, desk: Desk) -> None:
    assert book.text == CHAPTERS[0].text
    reading = desk.again(notes=True)
    reading.open(OPENED_BOOK)
    assert reading.text == f"{CHAPTERS[0].text}\n\nA note on Chapter one."
    reading.choose_notes(False)
    assert reading.text == CHAPTERS[0].text
    reading.play()
    reading.choose_notes(True)
    assert reading.text == CHAPTERS[0].text
    chosen = reading.chosen_document
    assert chosen.chapters[0].text.endswith("A note on Chapter one.")
    reading.go_to(3)
    assert reading.text.endswith("A note on Chapter two.")


def test_a_position_in_notes_no_longer_read_becomes_the_chapter_end(tmp_path: Path) -> None:
    ReadingPositions(tmp_path / "p.json").store_position(
        LibraryBook(OPENED_BOOK.path, OPENED_BOOK.digest), ReadingPosition(3, len(CHAPTERS[1].text) + 5)
    )
    reading = Desk(tmp_path).reading
    reading.open(OPENED_BOOK)
    assert place(reading) == (3, len(CHAPTERS[1].text))


def test_a_text_is_spoken_with_its_edits(desk: Desk) -> None:
    edit = UtteranceEdit(16, "ˌɪt", gain_db=3)
    desk.reading.edits_of = lambda text: (edit,) if text == OWN else ()
    desk.reading.play()
    assert desk.speaker.request.edits == (edit,)
    desk.speaker.hear_on()
    desk.reading.pause()
    desk.reading.play()
    assert desk.speaker.began[-1] == desk.speaker.position
    assert desk.speaker.request.start == 0


def test_changed_edits_play_from_the_current_sentence_on(desk: Desk) -> None:
    desk.reading.play()
    desk.speaker.hear_on()
    desk.reading.pause()
    edit = UtteranceEdit(16, "ˌɪt", gain_db=3)
    desk.reading.edits_of = lambda text: (edit,)
    desk.reading.play()
    assert desk.speaker.request == replace(SPEECH_SETTINGS, text=OWN, start=16, edits=(edit,))
