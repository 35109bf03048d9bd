from collections.abc import Iterator
from pathlib import Path

import pytest

from app.library.history import MEGABYTE, sound_path
from app.library.records import key_of
from engine.errors import InvalidRequest
from engine.speech import SpeechRequest
from tests.app.library.example_library import MODEL, ExampleLibrary, request


@pytest.fixture
def example_library(tmp_path: Path) -> Iterator[ExampleLibrary]:
    example_library = ExampleLibrary(tmp_path / "library")
    yield example_library
    example_library.database.close()


def test_the_latest_entry_comes_first_and_repeated_speech_moves_to_the_front(example_library: ExampleLibrary) -> None:
    for text in ("One.", "Two.", "Three.", "One."):
        example_library.history.add_entry(request(text), MODEL)
    assert example_library.titles() == ["One.", "Three.", "Two."]
    entry = example_library.history.listed().entries[0]
    assert (entry.voice, entry.model, entry.speed, entry.begun, entry.seconds) == ("af_heart", MODEL, 1.25, 1004.0, 0)


def test_a_different_voice_or_model_creates_a_separate_entry(example_library: ExampleLibrary) -> None:
    example_library.history.add_entry(request("One."), MODEL)
    example_library.history.add_entry(request("One.", "am_adam"), MODEL)
    example_library.history.add_entry(request("One."), "kokoro-82m")
    assert len(example_library.titles()) == 3


def test_an_entry_is_recalled_with_its_request_and_its_sound(example_library: ExampleLibrary) -> None:
    number = example_library.speak("Only once.", seconds=3)
    kept = example_library.history.recall(number)
    assert (kept.request, kept.model) == (request("Only once."), MODEL)
    assert kept.sound is not None
    assert kept.sound.exists()
    assert example_library.history.listed().entries[0].seconds == 3.0
    example_library.history.limit(0)
    assert example_library.history.recall(number).sound is None


def test_a_missing_entry_is_reported(example_library: ExampleLibrary) -> None:
    with pytest.raises(InvalidRequest, match="history"):
        example_library.history.recall(7)


def test_the_sound_unheard_for_longest_goes_first_and_stars_stay(example_library: ExampleLibrary) -> None:
    first, second, *_ = [example_library.speak(text) for text in ("One.", "Two.", "Three.", "Four.")]
    example_library.history.star(second, starred=True)
    example_library.history.recall(first)
    each_bytes = example_library.history.listed().kept_bytes / 4
    example_library.history._limit_bytes = round(2.5 * each_bytes)
    example_library.speak("Five.")
    assert example_library.with_sound() == ["Five.", "Two."]
    assert example_library.titles() == ["Five.", "Four.", "Three.", "Two.", "One."]
    assert len(list((example_library.folder / "sounds").iterdir())) == 2


def test_an_entry_heard_lately_keeps_its_sound_longer(example_library: ExampleLibrary) -> None:
    first = example_library.speak("One.")
    example_library.speak("Two.")
    example_library.history.recall(first)
    example_library.history._limit_bytes = example_library.history.listed().kept_bytes
    example_library.speak("Three.")
    assert example_library.with_sound() == ["Three.", "One."]


def test_a_limit_in_megabytes(example_library: ExampleLibrary) -> None:
    example_library.speak("Long.", seconds=500)
    example_library.speak("Longer.", seconds=600)
    assert example_library.history.listed().kept_bytes > MEGABYTE
    example_library.history.limit(1)
    assert example_library.with_sound() == []


def test_a_deleted_entry_can_be_restored_until_the_next_deletion(example_library: ExampleLibrary) -> None:
    first, second = example_library.speak("One."), example_library.speak("Two.")
    example_library.history.delete(first)
    assert example_library.titles() == ["Two."]
    example_library.history.bring_back()
    assert example_library.with_sound() == ["Two.", "One."]
    example_library.history.delete(first)
    example_library.history.delete(second)
    example_library.history.bring_back()
    assert example_library.titles() == ["Two."]
    assert len(list((example_library.folder / "sounds").iterdir())) == 1


def test_a_sound_that_is_ready_after_its_entry_is_deleted_is_discarded(example_library: ExampleLibrary) -> None:
    example_library.history.add_entry(request("One."), MODEL)
    example_library.history.delete(1)
    example_library.keep("One.")
    assert not list((example_library.folder / "sounds").iterdir())


def test_words_are_found_in_the_whole_text_in_upper_and_lower_case(example_library: ExampleLibrary) -> None:
    example_library.history.add_entry(request("A" * 3000 + " über DEN Fluss."), MODEL)
    example_library.history.add_entry(request("New text."), MODEL)
    example_library.history.look_for(" ÜBER den ")
    assert len(example_library.titles()) == 1
    example_library.history.look_for("100 %_")
    assert example_library.titles() == []
    example_library.history.look_for("")
    assert len(example_library.titles()) == 2


def test_beyond_its_number_the_oldest_without_a_star_are_forgotten(
    example_library: ExampleLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.history.ENTRIES_KEPT", 2)
    first, _ = example_library.speak("One."), example_library.speak("Two.")
    example_library.history.star(first, starred=True)
    example_library.speak("Three.")
    example_library.speak("Four.")
    assert example_library.titles() == ["Four.", "Three.", "One."]
    assert example_library.with_sound() == ["Four.", "Three.", "One."]
    assert len(list((example_library.folder / "sounds").iterdir())) == 3


def test_tidying_removes_files_of_no_entry_and_notes_missing_ones(example_library: ExampleLibrary) -> None:
    example_library.speak("One.")
    example_library.speak("Two.")
    (example_library.folder / "sounds" / ".x.flac.123.part").write_bytes(b"half")
    sound_path(example_library.folder, key_of(request("One."), MODEL)).unlink()
    example_library.history.tidy()
    assert example_library.with_sound() == ["Two."]
    assert len(list((example_library.folder / "sounds").iterdir())) == 1


def test_half_a_character_of_two_can_be_stored(example_library: ExampleLibrary) -> None:
    example_library.history.add_entry(request("One \ud83d."), MODEL)
    assert len(example_library.titles()) == 1


@pytest.mark.parametrize(("column", "damaged"), [("text", b"On\xff."), ("title", b"On\xff.")])
def test_a_damaged_byte_costs_one_character(example_library: ExampleLibrary, column: str, damaged: bytes) -> None:
    number = example_library.speak("One.")
    example_library.speak("Two.")
    example_library.database.execute(f"UPDATE entry SET {column} = CAST(? AS TEXT) WHERE number = ?", (damaged, number))
    assert len(example_library.titles()) == 2
    shown = (
        example_library.history.listed().entries[1].title
        if column == "title"
        else example_library.history.recall(number).request.text
    )
    assert shown == "On\ufffd."
    example_library.history.look_for("two")
    assert example_library.titles() == ["Two."]


@pytest.mark.parametrize("damaged", ["{", "[]", "{}", '{"voi\ufffde": "af_heart", "speed": 1.0}'])
def test_an_entry_with_damaged_speech_settings_is_listed_and_keeps_its_text(
    example_library: ExampleLibrary, damaged: str
) -> None:
    number = example_library.speak("One.")
    example_library.speak("Two.")
    example_library.database.execute("UPDATE entry SET manner = ? WHERE number = ?", (damaged, number))
    assert example_library.titles() == ["Two.", "One."]
    assert example_library.history.recall(number).request == SpeechRequest("One.", "")
