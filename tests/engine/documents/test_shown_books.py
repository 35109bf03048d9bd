"""What real books and documents show: headings, emphasis and pictures where they are in the text."""

from pathlib import Path

import pytest

from engine.documents.document import BETWEEN_PARAGRAPHS, Document, Look
from engine.documents.worker import read
from engine.errors import EngineError
from tests.engine.documents.pages import shown
from tests.shared_inputs import FOLDER, book

FILES = sorted(path for folder in ("books", "real-text/cases") for path in (FOLDER / folder).glob("*"))


def all_shown(document: Document) -> list[tuple[str, str]]:
    return [each for chapter in document.chapters for each in shown(chapter)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_everything_that_is_shown_is_in_the_text_and_in_order(path: Path) -> None:
    try:
        document = read(path)
    except EngineError:
        return  # what is damaged shows nothing
    for chapter in document.with_notes().chapters:
        assert [style.start for style in chapter.styles] == sorted(style.start for style in chapter.styles)
        assert [picture.start for picture in chapter.pictures] == sorted(each.start for each in chapter.pictures)
        assert all(0 <= picture.start <= len(chapter.text) for picture in chapter.pictures)
        paragraphs = chapter.text.split(BETWEEN_PARAGRAPHS)
        for style in chapter.styles:
            said = chapter.text[style.start : style.end]
            assert 0 <= style.start < style.end <= len(chapter.text)
            assert said == said.strip()
            assert (style.look is Look.HEADING) == (1 <= style.level <= 6)
            if style.look is Look.HEADING:
                assert said in paragraphs


def test_an_epub_shows_what_its_pages_do() -> None:
    found = all_shown(read(book("love-among-the-chickens.epub")))
    headings = [said for look, said in found if look == "heading"]
    assert "I: A Letter with a Postscript" in headings
    assert len(headings) == 30
    assert ("emphasis", "sauve qui peut") in found
    assert ("emphasis", "The Manœuvres of Arthur") in found
    assert ("strong", "Garnet") in found
    assert any(look == "quote" and "In his hand he bore the brand" in said for look, said in found)


def test_a_page_shows_what_it_marks() -> None:
    chapters = read(book("pride-and-prejudice.htm")).chapters
    first = next(chapter for chapter in chapters if chapter.title == "Chapter 1")
    assert shown(first)[:3] == [("heading", "Chapter 1"), ("emphasis", "You"), ("emphasis", "may")]
    assert sum(look == "emphasis" for chapter in chapters for look, _ in shown(chapter)) > 400


def test_a_plain_text_shows_its_headings() -> None:
    found = all_shown(read(book("sherlock-holmes.txt")))
    assert len(found) == 15
    assert {"ADVENTURE I. A SCANDAL IN BOHEMIA", "II.", "XII. THE ADVENTURE OF THE COPPER BEECHES"} <= {
        said for look, said in found if look == "heading"
    }
