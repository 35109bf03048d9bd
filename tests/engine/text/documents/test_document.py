import json
from dataclasses import replace

import pytest

from engine.system.remote import decoded, encoded
from engine.text.documents import Chapter, Document, Matter, Picture, Styled, TextStyle
from engine.text.documents.matter import matter_of_title


def test_a_document_counts_the_characters_of_its_chapters() -> None:
    document = Document("A Book", "Somebody", "en", (Chapter("One", "One.\n\nIt begins."), Chapter("Two", "Two.")))
    assert document.characters == 20
    assert document.text == "One.\n\nIt begins.\n\nTwo."
    assert document.cover is None


def test_front_and_back_matter_are_defaults_only_without_other_chapters() -> None:
    front, text, back = Chapter("Contents", "One"), Chapter("One", "It begins."), Chapter("Index", "It, 1")
    chapters = (replace(front, matter=Matter.FRONT), text, replace(back, matter=Matter.BACK))
    document = Document("A Book", "", "en", chapters)
    assert document.default_chapters == (1,)
    assert document.with_chapters((1,)).chapters == (text,)
    assert document.with_chapters((0, 2)).default_chapters == (0, 1)


def test_notes_are_read_at_the_end_of_their_chapter_or_never() -> None:
    document = Document("A Book", "", "en", (Chapter("One", "It begins.", notes="A note."), Chapter("Two", "Two.")))
    assert document.text == "It begins.\n\nTwo."
    assert document.with_notes().text == "It begins.\n\nA note.\n\nTwo."


def test_notes_do_not_change_styles_or_pictures() -> None:
    styles, pictures = (Styled(3, 9, TextStyle.EMPHASIS),), (Picture(10, "a.png"),)
    chapter = Chapter("One", "It begins.", notes="A note.", styles=styles, pictures=pictures)
    (noted,) = Document("A Book", "", "en", (chapter,)).with_notes().chapters
    assert (noted.styles, noted.pictures) == (styles, pictures)


@pytest.mark.parametrize("cover", [None, b"\x89PNG\x00"])
def test_a_document_comes_back(cover: bytes | None) -> None:
    styles = (Styled(0, 3, TextStyle.HEADING, 2), Styled(5, 6, TextStyle.EMPHASIS))
    pictures = (Picture(5, "images/é.png", "A “boat”"),)
    first = Chapter("One", "One\n\n🙂", notes="A note.", styles=styles, pictures=pictures)
    chapters = (first, Chapter("Index", "Two.", Matter.BACK))
    document = Document("A “Book”", "Ann", "en", chapters, cover, ("The page “2” is missing.",))
    assert decoded(json.loads(json.dumps(encoded(document, Document))), Document) == document


@pytest.mark.parametrize(
    ("title", "matter"),
    [
        ("CONTENTS.", Matter.FRONT),
        ("Table des matières", Matter.FRONT),
        ("Copyright © 2020", Matter.TEXT),
        ("Copyright", Matter.FRONT),
        ("DEDICATION", Matter.FRONT),
        ("Index of Names", Matter.BACK),
        ("Notes", Matter.BACK),
        ("THE FULL PROJECT GUTENBERG™ LICENSE", Matter.BACK),
        ("Transcriber’s Note", Matter.BACK),
        ("Preface", Matter.TEXT),
        ("Notes from Underground", Matter.TEXT),
        ("The Index Finger", Matter.TEXT),
        ("", Matter.TEXT),
    ],
)
def test_a_title_reveals_the_matter_of_its_chapter(title: str, matter: Matter) -> None:
    assert matter_of_title(title) is matter
