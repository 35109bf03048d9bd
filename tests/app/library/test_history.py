from collections.abc import Iterator
from pathlib import Path

import pytest

from app.library.history import MEGABYTE, sound_path
from app.library.records import key_of
from engine.errors import InvalidRequest
from engine.speech import SpeechRequest
from tests.app.library.shelf import MODEL, Shelf, request


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path / "library")
    yield shelf
    shelf.database.close()


def test_the_latest_comes_first_and_what_is_spoken_again_moves_to_the_front(shelf: Shelf) -> None:
    for text in ("One.", "Two.", "Three.", "One."):
        shelf.history.begin(request(text), MODEL)
    assert shelf.titles() == ["One.", "Three.", "Two."]
    entry = shelf.history.listed().entries[0]
    assert (entry.voice, entry.model, entry.speed, entry.begun, entry.seconds) == ("af_heart", MODEL, 1.25, 1004.0, 0)


def test_another_voice_or_model_is_another_entry(shelf: Shelf) -> None:
    shelf.history.begin(request("One."), MODEL)
    shelf.history.begin(request("One.", "am_adam"), MODEL)
    shelf.history.begin(request("One."), "kokoro-82m")
    assert len(shelf.titles()) == 3


def test_an_entry_is_recalled_with_its_request_and_its_sound(shelf: Shelf) -> None:
    number = shelf.speak("Only once.", seconds=3)
    kept = shelf.history.recall(number)
    assert (kept.request, kept.model) == (request("Only once."), MODEL)
    assert kept.sound is not None
    assert kept.sound.exists()
    assert shelf.history.listed().entries[0].seconds == 3.0
    shelf.history.limit(0)
    assert shelf.history.recall(number).sound is None


def test_an_entry_that_is_gone_is_told(shelf: Shelf) -> None:
    with pytest.raises(InvalidRequest, match="history"):
        shelf.history.recall(7)


def test_the_sound_unheard_for_longest_goes_first_and_stars_stay(shelf: Shelf) -> None:
    first, second, *_ = [shelf.speak(text) for text in ("One.", "Two.", "Three.", "Four.")]
    shelf.history.star(second, starred=True)
    shelf.history.recall(first)
    each_bytes = shelf.history.listed().kept_bytes / 4
    shelf.history._limit_bytes = round(2.5 * each_bytes)
    shelf.speak("Five.")
    assert shelf.with_sound() == ["Five.", "Two."]
    assert shelf.titles() == ["Five.", "Four.", "Three.", "Two.", "One."]
    assert len(list((shelf.folder / "sounds").iterdir())) == 2


def test_an_entry_heard_lately_keeps_its_sound_longer(shelf: Shelf) -> None:
    first = shelf.speak("One.")
    shelf.speak("Two.")
    shelf.history.recall(first)
    shelf.history._limit_bytes = shelf.history.listed().kept_bytes
    shelf.speak("Three.")
    assert shelf.with_sound() == ["Three.", "One."]


def test_a_limit_in_megabytes(shelf: Shelf) -> None:
    shelf.speak("Long.", seconds=500)
    shelf.speak("Longer.", seconds=600)
    assert shelf.history.listed().kept_bytes > MEGABYTE
    shelf.history.limit(1)
    assert shelf.with_sound() == []


def test_what_is_deleted_can_be_brought_back_until_the_next(shelf: Shelf) -> None:
    first, second = shelf.speak("One."), shelf.speak("Two.")
    shelf.history.delete(first)
    assert shelf.titles() == ["Two."]
    shelf.history.bring_back()
    assert shelf.with_sound() == ["Two.", "One."]
    shelf.history.delete(first)
    shelf.history.delete(second)
    shelf.history.bring_back()
    assert shelf.titles() == ["Two."]
    assert len(list((shelf.folder / "sounds").iterdir())) == 1


def test_a_sound_that_is_ready_after_its_entry_was_deleted_is_not_kept(shelf: Shelf) -> None:
    shelf.history.begin(request("One."), MODEL)
    shelf.history.delete(1)
    shelf.keep("One.")
    assert not list((shelf.folder / "sounds").iterdir())


def test_words_are_found_in_the_whole_text_in_upper_and_lower_case(shelf: Shelf) -> None:
    shelf.history.begin(request("A" * 3000 + " über DEN Fluss."), MODEL)
    shelf.history.begin(request("New text."), MODEL)
    shelf.history.look_for(" ÜBER den ")
    assert len(shelf.titles()) == 1
    shelf.history.look_for("100 %_")
    assert shelf.titles() == []
    shelf.history.look_for("")
    assert len(shelf.titles()) == 2


def test_beyond_its_number_the_oldest_without_a_star_are_forgotten(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.history.ENTRIES_KEPT", 2)
    first, _ = shelf.speak("One."), shelf.speak("Two.")
    shelf.history.star(first, starred=True)
    shelf.speak("Three.")
    shelf.speak("Four.")
    assert shelf.titles() == ["Four.", "Three.", "One."]
    assert shelf.with_sound() == ["Four.", "Three.", "One."]
    assert len(list((shelf.folder / "sounds").iterdir())) == 3


def test_tidying_removes_files_of_no_entry_and_notes_missing_ones(shelf: Shelf) -> None:
    shelf.speak("One.")
    shelf.speak("Two.")
    (shelf.folder / "sounds" / ".x.flac.123.part").write_bytes(b"half")
    sound_path(shelf.folder, key_of(request("One."), MODEL)).unlink()
    shelf.history.tidy()
    assert shelf.with_sound() == ["Two."]
    assert len(list((shelf.folder / "sounds").iterdir())) == 1


def test_half_a_character_of_two_can_be_stored(shelf: Shelf) -> None:
    shelf.history.begin(request("One \ud83d."), MODEL)
    assert len(shelf.titles()) == 1


@pytest.mark.parametrize(("column", "damaged"), [("text", b"On\xff."), ("title", b"On\xff.")])
def test_a_damaged_byte_costs_one_character(shelf: Shelf, column: str, damaged: bytes) -> None:
    number = shelf.speak("One.")
    shelf.speak("Two.")
    shelf.database.execute(f"UPDATE entry SET {column} = CAST(? AS TEXT) WHERE number = ?", (damaged, number))
    assert len(shelf.titles()) == 2
    shown = shelf.history.listed().entries[1].title if column == "title" else shelf.history.recall(number).request.text
    assert shown == "On\ufffd."
    shelf.history.look_for("two")
    assert shelf.titles() == ["Two."]


@pytest.mark.parametrize("damaged", ["{", "[]", "{}", '{"voi\ufffde": "af_heart", "speed": 1.0}'])
def test_an_entry_with_a_damaged_speech_settings_is_listed_and_keeps_its_text(shelf: Shelf, damaged: str) -> None:
    number = shelf.speak("One.")
    shelf.speak("Two.")
    shelf.database.execute("UPDATE entry SET manner = ? WHERE number = ?", (damaged, number))
    assert shelf.titles() == ["Two.", "One."]
    assert shelf.history.recall(number).request == SpeechRequest("One.", "")
