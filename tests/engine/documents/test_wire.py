import json

import pytest

from engine.documents.document import Chapter, Document
from engine.documents.wire import decoded, encoded


@pytest.mark.parametrize("cover", [None, b"\x89PNG\x00"])
def test_a_document_comes_back(cover: bytes | None) -> None:
    document = Document("A “Book”", "Ann", "en", (Chapter("One", "One\n\n🙂"), Chapter("Two", "Two.")), cover)
    assert decoded(json.loads(json.dumps(encoded(document)))) == document
