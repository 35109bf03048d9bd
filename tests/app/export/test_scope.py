"""The parts of a document that can be exported."""

from __future__ import annotations

from pathlib import Path

from app.export.scope import scope_of, scope_of_order
from engine.export.export_job import ExportJob
from engine.speech import SpeechRequest, UtteranceEdit
from engine.text.documents import Chapter, Document

TEXT = "Aaa. Bbb. Ccc."
EDITS = tuple(UtteranceEdit(start, "a") for start in (0, 5, 10))
SPEECH_SETTINGS = SpeechRequest("", "v")


def test_a_selection_with_edits_at_its_ends_stays_part_of_its_text() -> None:
    scope = scope_of(("Selection", SpeechRequest(TEXT, "v", start=5, end=9, edits=EDITS)), SPEECH_SETTINGS)
    assert scope.document.title == "Bbb"
    job = ExportJob(scope.document, scope.speech_settings, Path("a.wav"))
    assert job.only_request == SpeechRequest(TEXT, "v", start=5, end=9, edits=EDITS)
    assert job.seconds == ExportJob(Document("", "", "", (Chapter("", "Bbb."),)), SPEECH_SETTINGS, Path()).seconds


def test_a_selection_far_from_other_edits_has_its_own() -> None:
    text = "Aaa. " * 1000
    edits = tuple(UtteranceEdit(start, "a") for start in (0, 2500, 4500))
    scope = scope_of(("Selection", SpeechRequest(text, "v", start=2500, end=4495, edits=edits)), SPEECH_SETTINGS)
    assert scope.document.text == text[2500:4495]
    assert scope.speech_settings.edits == (UtteranceEdit(0, "a"),)


def test_a_selection_before_all_edits_is_a_separate_text() -> None:
    scope = scope_of(("Selection", SpeechRequest(TEXT, "v", end=4, edits=EDITS[1:])), SPEECH_SETTINGS)
    assert (scope.document.text, scope.speech_settings) == ("Aaa.", SPEECH_SETTINGS)


def test_each_chapter_of_a_book_has_the_edits_of_its_text() -> None:
    book = Document("A Book", "", "", tuple(Chapter(each, each) for each in ("One.", "Two.", "Three.")))
    edit = UtteranceEdit(0, "t")
    scope = scope_of(("Book", book), SPEECH_SETTINGS, lambda text: (edit,) if text == "Two." else ())
    job = ExportJob(scope.document, scope.speech_settings, Path("a.m4b"), edits=scope.edits)
    assert [job.speech_settings_of(index).edits for index in range(3)] == [(), (edit,), ()]
    assert scope_of_order(job).edits == scope.edits
    assert scope_of(("Book", book), SPEECH_SETTINGS).edits == ()
