import errno
import json
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import soundfile
from mutagen.mp4 import MP4

from engine.errors import Canceled, NothingToSpeak, OutputError, UnknownVoice
from engine.export import part_cache
from engine.export.export_job import PART_CHARACTERS
from engine.export.exporting import CHAPTER_PAUSE_SECONDS, export, parts_of
from engine.speech import UtteranceEdit
from engine.text.documents import Chapter, Document, read_document
from engine.text.g2p.split import PAUSE_SECONDS, Border
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from tests.engine.export.books import RATE_HZ, SAMPLES_PER_CHARACTER, FastSpeaker, book, order_of, run
from tests.engine.text.documents import books


def kept(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.flac"))


def test_a_book_becomes_one_file_with_its_chapters(tmp_path: Path, cache: Path) -> None:
    document = book()
    run(order_of(document, tmp_path / "book.m4b"))
    read = MP4(tmp_path / "book.m4b")
    assert [chapter.title for chapter in read.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert (read["\xa9nam"], read["\xa9ART"], bytes(read["covr"][0])) == (["The Book"], ["A. Writer"], document.cover)
    assert not kept(cache)
    assert [path.name for path in tmp_path.iterdir()] == ["book.m4b"]


def test_chapter_marks_are_at_the_specified_times(tmp_path: Path) -> None:
    chapters = (Chapter("One", "A b c d e f."), Chapter("Two", "G h i j k l m n."))
    run(order_of(Document("", "", "en", chapters), tmp_path / "book.m4b"))
    first = len(chapters[0].text) * SAMPLES_PER_CHARACTER / RATE_HZ
    assert [mark.start for mark in MP4(tmp_path / "book.m4b").chapters] == pytest.approx(
        [0, first + CHAPTER_PAUSE_SECONDS], abs=1e-4
    )


def test_every_chapter_can_have_a_file(tmp_path: Path) -> None:
    run(order_of(book(), tmp_path / "book.flac", per_chapter=True))
    names = ["1 Chapter 1.flac", "2 Chapter 2.flac", "3 Chapter 3.flac"]
    assert sorted(path.name for path in (tmp_path / "book").iterdir()) == names
    with soundfile.SoundFile(tmp_path / "book" / names[1]) as read:
        assert (read.title, read.album, read.tracknumber) == ("Chapter 2", "The Book", "2")


def test_the_sound_of_all_parts_is_there_in_order(tmp_path: Path) -> None:
    document, speaker = book(1), FastSpeaker()
    run(order_of(document, tmp_path / "book.wav"), speaker)
    parts = list(parts_of(document.chapters[0].text))
    assert [request.text for request in speaker.requests] == [part.text for part in parts]
    silences = sum(part.pause_seconds for part in parts) * RATE_HZ
    spoken = sum(len(part.text.replace("\n\n", "")) for part in parts) * SAMPLES_PER_CHARACTER
    assert soundfile.info(tmp_path / "book.wav").frames == spoken + silences


def test_an_interrupted_export_resumes_and_produces_the_same_bytes(tmp_path: Path, cache: Path) -> None:
    order = order_of(book(), tmp_path / "book.m4b")
    whole = FastSpeaker()
    run(order, whole)
    expected = order.path.read_bytes()
    order.path.unlink()
    first = FastSpeaker()
    steps = export(order, first, lambda _: None)
    list(islice(steps, 40))
    steps.close()
    made = len(kept(cache))
    assert made == len(first.requests) - 1 > 0
    second = FastSpeaker()
    run(order, second)
    assert len(second.requests) == len(whole.requests) - made
    assert order.path.read_bytes() == expected


def test_two_exports_of_a_text_at_once_leave_each_other_their_speech(tmp_path: Path, cache: Path) -> None:
    slow = FastSpeaker()
    steps = export(order_of(book(), tmp_path / "slow.flac"), slow, lambda _: None)
    list(islice(steps, 40))
    run(order_of(book(), tmp_path / "quick.flac"))  # in the same thread, between two steps
    made = len(slow.requests)
    list(steps)
    assert len(slow.requests) == made
    assert (tmp_path / "slow.flac").read_bytes() == (tmp_path / "quick.flac").read_bytes()
    assert not kept(cache)


def test_exporting_a_chapter_during_its_book_export_preserves_the_cached_audio(tmp_path: Path, cache: Path) -> None:
    slow = FastSpeaker()
    steps = export(order_of(book(), tmp_path / "book.flac"), slow, lambda _: None)
    list(islice(steps, 40))
    made = len(slow.requests)
    run(order_of(book().with_chapters((0,)), tmp_path / "chapter.flac"), slow)
    list(steps)
    assert made > len(list(parts_of(book().chapters[0].text)))
    assert len(slow.requests) == sum(len(list(parts_of(chapter.text))) for chapter in book().chapters)
    assert not kept(cache)


def test_an_export_resumes_with_a_different_path_and_format(tmp_path: Path, cache: Path) -> None:
    cancel = threading.Event()
    steps = export(order_of(book(), tmp_path / "book.m4b"), FastSpeaker(), lambda _: None, cancel)
    list(islice(steps, 40))
    cancel.set()
    with pytest.raises(Canceled):
        list(steps)
    made, speaker = len(kept(cache)), FastSpeaker()
    run(order_of(book(), tmp_path / "other.flac"), speaker)
    whole = FastSpeaker()
    run(order_of(book(), tmp_path / "whole.flac"), whole)
    assert len(speaker.requests) == len(whole.requests) - made < len(whole.requests)
    assert (tmp_path / "other.flac").read_bytes() == (tmp_path / "whole.flac").read_bytes()


def test_an_export_with_a_different_model_reuses_no_audio(tmp_path: Path, cache: Path) -> None:
    steps = export(order_of(book(), tmp_path / "book.m4b"), FastSpeaker(), lambda _: None)
    list(islice(steps, 40))
    steps.close()
    assert kept(cache)
    other = FastSpeaker()
    other.model = "other"
    run(order_of(book(), tmp_path / "book.m4b"), other)
    parts = [part for chapter in book().chapters for part in parts_of(chapter.text)]
    assert len(other.requests) == len(parts)


def test_parts_with_a_changed_word_are_spoken_again_and_named(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    order = order_of(book(), tmp_path / "book.m4b")
    first = FastSpeaker()
    steps = export(order, first, lambda _: None)
    list(islice(steps, 40))
    steps.close()
    changed, *others = (request.text for request in first.requests[:-1])
    number = changed.split()[-1].rstrip(".")
    UserLexicon().add([LexiconEntry(number, say="many")])
    again = FastSpeaker()
    told = {progress.step for progress in run(order, again)}
    spoken = [request.text for request in again.requests]
    assert changed in spoken
    assert not set(others) & set(spoken)
    assert [step for step in told if "changed" in step and "chapter 1 of 3" in step]
    assert not [step for step in told if "changed" in step and "chapter 1 of 3" not in step]


@pytest.mark.parametrize("before", [None, "an earlier recipe"], ids=["new", "changed"])
@pytest.mark.parametrize("place", ["before", "inside"])
def test_parts_by_a_changed_voice_of_the_text_are_spoken_again(before: str | None, place: str, tmp_path: Path) -> None:
    recipes = {"af_heart": "", **({} if before is None else {"duet": before})}

    class BlendSpeaker(FastSpeaker):
        def fingerprint(self, voice: str) -> str:
            if voice not in recipes:
                raise UnknownVoice(voice, tuple(recipes), None)
            return f"{voice} {recipes[voice]}"

    def spoken() -> list[str]:
        speaker = BlendSpeaker()
        with closing(export(order, speaker, lambda _: None)) as steps:
            next(step for step in steps if step.step.startswith("Writing"))
        return [request.text for request in speaker.requests]

    first, second = (chapter.text for chapter in book(2, 8000 if place == "before" else 100).chapters)
    document = Document("", "", "en", (Chapter("", f"[voice:duet] {first}"), Chapter("", second)))
    order = order_of(document, tmp_path / "book.wav")
    parts = [part.text for chapter in document.chapters for part in parts_of(chapter.text)]
    assert [spoken(), spoken()] == [parts, []]
    recipes["duet"] = "a new recipe"
    assert [spoken(), spoken()] == [[part.text for part in parts_of(document.chapters[0].text)], []]


def test_canceling_while_it_is_written_leaves_no_file_and_keeps_the_speech(tmp_path: Path, cache: Path) -> None:
    cancel = threading.Event()
    steps = export(order_of(book(), tmp_path / "book.m4b"), FastSpeaker(), lambda _: None, cancel)
    for progress in steps:
        if progress.step.startswith("Writing"):
            cancel.set()
            break
    with pytest.raises(Canceled):
        list(steps)
    assert not list(tmp_path.iterdir())
    assert kept(cache)


def test_generated_audio_survives_a_full_disk(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, room = part_cache.write_atomically, iter(range(6))

    def write_while_there_is_room(path: Path, content: bytes) -> None:
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    monkeypatch.setattr(part_cache, "write_atomically", write_while_there_is_room)
    with pytest.raises(OutputError, match=r"saved there\. Free up some space"):
        run(order_of(book(), tmp_path / "book.m4b"))
    monkeypatch.setattr(part_cache, "write_atomically", write)
    assert len(kept(cache)) == 3
    assert not list(tmp_path.iterdir())
    speaker = FastSpeaker()
    run(order_of(book(), tmp_path / "book.m4b"), speaker)
    whole = FastSpeaker()
    run(order_of(book(), tmp_path / "whole.m4b"), whole)
    assert len(speaker.requests) == len(whole.requests) - 3
    assert (tmp_path / "book.m4b").read_bytes() == (tmp_path / "whole.m4b").read_bytes()


def test_a_disk_that_is_full_in_the_end_keeps_the_speech(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "refused")

    with monkeypatch.context() as patch:
        patch.setattr("engine.audio.audio_book.AudioBook.write", fail)
        with pytest.raises(OutputError, match=r"The disk is full.* Finished audio is saved"):
            run(order_of(book(), tmp_path / "book.m4b"))
    speaker = FastSpeaker()
    run(order_of(book(), tmp_path / "book.m4b"), speaker)
    assert not speaker.requests


def test_chapters_without_sound_are_omitted(tmp_path: Path) -> None:
    chapters = (Chapter("Stars", "* * *"), Chapter("Words", "Some words."))
    run(order_of(Document("", "", "en", chapters), tmp_path / "book.m4b"))
    assert [chapter.title for chapter in MP4(tmp_path / "book.m4b").chapters] == ["Words"]
    run(order_of(Document("", "", "en", chapters), tmp_path / "each.wav", per_chapter=True))
    assert [path.name for path in (tmp_path / "each").iterdir()] == ["2 Words.wav"]
    with pytest.raises(NothingToSpeak):
        run(order_of(Document("", "", "en", chapters[:1]), tmp_path / "none.wav"))
    assert not (tmp_path / "none.wav").exists()


def test_progress_names_the_chapter_and_only_grows(tmp_path: Path) -> None:
    told = run(order_of(book(), tmp_path / "book.m4b"))
    assert told[0].step == "Speaking chapter 1 of 3, “Chapter 1”"
    assert told[-1].step == "Writing book.m4b"
    fractions = [progress.fraction for progress in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1)


def test_the_time_left_counts_only_remaining_work(tmp_path: Path) -> None:
    order = order_of(book(), tmp_path / "book.m4b")
    steps = export(order, FastSpeaker(), lambda _: None)
    list(islice(steps, 40))
    steps.close()
    seconds = iter(range(1000))
    again = list(export(order, FastSpeaker(), lambda _: None, clock=lambda: float(next(seconds))))
    assert again[0].fraction == 0
    assert again[-1].seconds_left == pytest.approx(0)


def test_an_unwritable_path_is_reported_before_any_audio_is_generated(tmp_path: Path) -> None:
    speaker = FastSpeaker()
    for path in (tmp_path / "none" / "a.m4b", tmp_path / "a.txt"):
        with pytest.raises(OutputError):
            run(order_of(book(), path), speaker)
    assert not speaker.requests


def test_equal_orders_give_equal_bytes_in_every_other_format(tmp_path: Path) -> None:
    for suffix in (".wav", ".flac", ".mp3"):
        contents = set()
        for name in ("a", "b"):
            run(order_of(book(1, 2000), tmp_path / f"{name}{suffix}"))
            contents.add((tmp_path / f"{name}{suffix}").read_bytes())
        assert len(contents) == 1


def test_equal_orders_give_the_same_sound_in_ogg(tmp_path: Path) -> None:
    for suffix in (".ogg", ".opus"):
        for name in ("a", "b"):
            run(order_of(book(1, 2000), tmp_path / f"{name}{suffix}"))
        np.testing.assert_array_equal(*(soundfile.read(tmp_path / f"{name}{suffix}")[0] for name in ("a", "b")))


def test_subtitles_are_those_of_the_whole_book(tmp_path: Path) -> None:
    document, subtitles = book(2), tmp_path / "book.json"
    order = replace(order_of(document, tmp_path / "book.wav"), subtitles=subtitles)
    steps = export(order, FastSpeaker(), lambda _: None)
    list(islice(steps, 10))
    steps.close()
    assert not subtitles.exists()
    run(order)
    words = json.loads(subtitles.read_text(encoding="utf-8"))["words"]
    paragraphs = [paragraph for chapter in document.chapters for paragraph in chapter.text.split("\n\n")]
    assert [word["text"] for word in words] == [paragraph.split()[0] for paragraph in paragraphs]
    texts = (chapter.text for chapter in document.chapters)
    first, second = (words[: len(words) // 2], words[len(words) // 2 :])
    for text, part in zip(texts, (first, second), strict=True):
        assert all(text[word["start"] : word["end"]] == word["text"] for word in part)
    chapter_seconds = soundfile.info(order.path).duration / 2
    assert second[0]["start_seconds"] == pytest.approx(chapter_seconds, abs=CHAPTER_PAUSE_SECONDS)
    times = [word["start_seconds"] for word in words]
    assert times == sorted(times)


def test_every_chapter_has_its_subtitles_beside_it(tmp_path: Path) -> None:
    run(replace(order_of(book(2), tmp_path / "book.flac", per_chapter=True), subtitles=tmp_path / "any.srt"))
    names = ["1 Chapter 1.flac", "1 Chapter 1.srt", "2 Chapter 2.flac", "2 Chapter 2.srt"]
    assert sorted(path.name for path in (tmp_path / "book").iterdir()) == names
    assert (tmp_path / "book" / names[3]).read_text(encoding="utf-8").startswith("1\n00:00:00,000 --> ")


def test_subtitles_of_no_format_are_refused_before_any_work(tmp_path: Path) -> None:
    speaker = FastSpeaker()
    with pytest.raises(OutputError, match=r"be saved as \.txt"):
        run(replace(order_of(book(), tmp_path / "book.wav"), subtitles=tmp_path / "book.txt"), speaker)
    assert speaker.requests == []


def test_a_voice_in_the_text_speaks_the_parts_that_follow(tmp_path: Path) -> None:
    text = "\n\n".join(["[voice:am_adam] One two.", *[chapter.text for chapter in book(1).chapters]])
    speaker = FastSpeaker()
    run(order_of(Document("", "", "en", (Chapter("", text), Chapter("", "Three."))), tmp_path / "book.wav"), speaker)
    assert len(speaker.requests) > 3
    assert [request.voice for request in speaker.requests] == [
        "af_heart", *["am_adam"] * (len(speaker.requests) - 2), "af_heart",
    ]  # fmt: skip


def test_presets_continue_in_later_parts(tmp_path: Path) -> None:
    paragraphs = book(1).chapters[0].text
    text = f"[slow]{paragraphs}[/slow]\n\nThe end."
    speaker = FastSpeaker()
    run(order_of(Document("", "", "en", (Chapter("", text),)), tmp_path / "book.wav"), speaker)
    assert len(speaker.requests) > 2
    for request in speaker.requests:
        assert request.text.startswith("[slow]")
        assert "[/slow]" in request.text
    assert speaker.requests[-1].text.endswith("[/slow]\n\nThe end.")


def test_words_keep_their_places_where_a_preset_continues(tmp_path: Path) -> None:
    text = f"[slow]{book(1).chapters[0].text}[/slow]"
    path = tmp_path / "book.json"
    order = order_of(Document("", "", "en", (Chapter("", text),)), tmp_path / "book.wav")
    run(replace(order, subtitles=path))
    places = [word["start"] for word in json.loads(path.read_text(encoding="utf-8"))["words"]]
    assert places == sorted(places)
    starts = [part.start for part in parts_of(text)]
    assert all(any(abs(place - start) <= 6 for place in places) for start in starts)


SENTENCE = "He said “that this is one of many sentences.” "


def assert_whole(text: str) -> None:
    """Assert that parts leave out only white space, have correct offsets, and are neither empty nor too long."""
    parts = list(parts_of(text))
    assert all(text[part.start : part.start + len(part.text)] == part.text for part in parts)
    assert "".join("".join(part.text for part in parts).split()) == "".join(text.split())
    assert all(0 < len(part.text) <= PART_CHARACTERS for part in parts)


def test_a_short_chapter_is_one_part() -> None:
    (part,) = parts_of("A title\n\nAnd a text.")
    assert (part.text, part.start, part.pause_seconds) == ("A title\n\nAnd a text.", 0, 0.0)


@pytest.mark.parametrize(
    ("text", "border"),
    [
        ("\n\n".join(["A paragraph of some length. And more."] * 300), Border.PARAGRAPH),
        (SENTENCE * 200, Border.SENTENCE),
        ("word " * 2000, Border.WORD),
    ],
)
def test_a_long_one_is_cut_at_the_strongest_border(text: str, border: Border) -> None:
    parts = list(parts_of(text))
    assert len(parts) > 2
    assert_whole(text)
    assert [part.pause_seconds for part in parts] == [*[PAUSE_SECONDS[border]] * (len(parts) - 1), 0.0]
    if border is Border.SENTENCE:
        assert all(part.text.rstrip().endswith(".”") for part in parts)


def test_one_without_any_space_is_cut_all_the_same() -> None:
    assert_whole("x" * (2 * PART_CHARACTERS + 5))
    assert_whole("\n\n\n   " + "x " * PART_CHARACTERS)


CHAPTERS = 40


@pytest.mark.parametrize(
    ("name", "write", "characters"),
    [
        ("book.epub", books.write_epub, 100_000),
        ("book.docx", books.write_docx, 50_000),
        ("book.pdf", books.write_pdf, 50_000),
    ],
)
def test_a_foreign_reader_lists_every_chapter(
    name: str, write: Callable[[Path, books.Book], Path], characters: int, tmp_path: Path
) -> None:
    document = read_document(write(tmp_path / name, books.book(characters, CHAPTERS)))
    assert document.characters >= 0.98 * characters
    run(order_of(document, tmp_path / "book.m4b"), FastSpeaker(samples_per_character=20))
    read = MP4(tmp_path / "book.m4b")
    assert [chapter.title for chapter in read.chapters] == [f"Chapter {number}" for number in range(1, CHAPTERS + 1)]
    assert (read["\xa9nam"], read["\xa9ART"]) == (["The Blue Lantern"], ["A. Writer"])


def test_each_chapter_is_spoken_with_its_edits(tmp_path: Path) -> None:
    document = book(2)
    edit = UtteranceEdit(0, "C")
    order = replace(order_of(document, tmp_path / "b.flac"), edits=((), (edit,)))
    speaker = FastSpeaker()
    run(order, speaker)
    plain, edited = document.chapters
    assert [each.text for each in speaker.requests if each.edits] == [edited.text]
    assert speaker.requests[-1].edits == (edit,)
    assert "".join(each.text for each in speaker.requests[:-1]).count("Chapter 1") == plain.text.count("Chapter 1")
