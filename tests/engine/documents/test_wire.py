import json

import pytest

from engine.documents.document import Chapter, Document, Look, Matter, Picture, Styled, decoded, encoded


@pytest.mark.parametrize("cover", [None, b"\x89PNG\x00"])
def test_a_document_comes_back(cover: bytes | None) -> None:
    styles = (Styled(0, 3, Look.HEADING, 2), Styled(5, 6, Look.EMPHASIS))
    pictures = (Picture(5, "images/é.png", "A “boat”"),)
    first = Chapter("One", "One\n\n🙂", notes="A note.", styles=styles, pictures=pictures)
    chapters = (first, Chapter("Index", "Two.", Matter.BACK))
    document = Document("A “Book”", "Ann", "en", chapters, cover, ("The page “2” is missing.",))
    assert decoded(json.loads(json.dumps(encoded(document)))) == document
