import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InvalidRequest
from engine.export import export_job
from engine.export.export_job import joined, order_of_text, read_cover
from engine.speech import SpeechRequest
from engine.text.documents import Chapter, Document
from tests.engine.export.books import book, order_of


def test_several_documents_follow_each_other() -> None:
    note = Document("A Note", "", "en", (Chapter("", "Text."),))
    document = joined([book(2, 10), note])
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2", "A Note"]
    assert (document.title, document.author) == ("The Book", "A. Writer")
    assert joined([note]) is note


def test_notices_of_several_documents_say_which_they_are_about() -> None:
    one, other = (Document(title, "", "en", (Chapter("", "Text."),), notices=("Guessed.",)) for title in ("One", "Two"))
    assert joined([one, other, one]).notices == ("“One”: Guessed.", "“Two”: Guessed.")


def test_an_export_results_in_a_file_or_a_folder() -> None:
    assert order_of(book(), Path("/x/b.mp3")).result == Path("/x/b.mp3")
    assert order_of(book(), Path("/x/b.mp3"), per_chapter=True).result == Path("/x/b")


def test_only_the_sound_of_one_chapter_is_one_request() -> None:
    order = order_of_text(Path("/x/b.mp3"), SpeechRequest("Some words.", "af_heart", 1.2))
    assert order.only_request == SpeechRequest("Some words.", "af_heart", 1.2)
    assert replace(order, subtitles=Path("/x/b.srt")).only_request is None
    assert order_of(book(2), Path("/x/b.mp3")).only_request is None


def test_a_text_is_a_document_of_one_chapter() -> None:
    order = order_of_text(Path("/x/b.mp3"), SpeechRequest("Some words.", "af_heart"))
    assert order.chapters == (Chapter("", "Some words."),)


@pytest.mark.parametrize("beginning", [b"\x89PNG", b"\xff\xd8\xff"])
def test_a_picture_is_taken_as_it_is(beginning: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(beginning + b"rest")
    assert read_cover(tmp_path / "a") == beginning + b"rest"


def test_an_invalid_cover_image_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_job, "MAX_BYTES", 3_000_000)
    (tmp_path / "text").write_text("GIF89a")
    (tmp_path / "large").write_bytes(b"\x89PNG" + bytes(3_000_000))
    for name, words in (("none", "No such file"), ("text", "neither JPEG nor PNG"), ("large", "larger than 3 MB")):
        with pytest.raises(InvalidRequest, match=words):
            read_cover(tmp_path / name)


def test_a_pipe_is_no_picture_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(InvalidRequest, match="a file"):
            read_cover(path)
    with pytest.raises(InvalidRequest, match="File name too long"):
        read_cover(tmp_path / (300 * "a"))
