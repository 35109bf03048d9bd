"""The parts of a document that can be exported."""

from __future__ import annotations

from app.export.scope import scope_of
from engine.speech import SpeechRequest, UtteranceEdit


def test_a_selection_keeps_the_edits_inside_it() -> None:
    edits = tuple(UtteranceEdit(start, "a") for start in (0, 5, 10))
    scope = scope_of(
        ("Selection", SpeechRequest("Aaa. Bbb. Ccc.", "v", start=5, end=9, edits=edits)), SpeechRequest("", "")
    )
    assert scope.document.chapters[0].text == "Bbb."
    assert scope.manner.edits == (UtteranceEdit(0, "a"),)
