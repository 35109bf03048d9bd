from dataclasses import replace
from pathlib import Path

from engine.documents import Chapter, Document
from engine.export.order import joined, order_of_text
from engine.speech import SpeechRequest
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


def test_what_comes_of_it_is_a_file_or_a_folder() -> None:
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
