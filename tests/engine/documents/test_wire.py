import json

import pytest

from engine.documents.document import Chapter, Document, Matter
from engine.documents.wire import decoded, encoded


@pytest.mark.parametrize("cover", [None, b"\x89PNG\x00"])
def test_a_document_comes_back(cover: bytes | None) -> None:
    chapters = (Chapter("One", "One\n\n🙂", notes="A note."), Chapter("Index", "Two.", Matter.BACK))
    document = Document("A “Book”", "Ann", "en", chapters, cover, ("The page “2” is missing.",))
    assert decoded(json.loads(json.dumps(encoded(document)))) == document
