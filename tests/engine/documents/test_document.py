from engine.documents import Chapter, Document


def test_a_document_counts_the_characters_of_its_chapters() -> None:
    document = Document("A Book", "Somebody", "en", (Chapter("One", "One.\n\nIt begins."), Chapter("Two", "Two.")))
    assert document.characters == 20
    assert document.text == "One.\n\nIt begins.\n\nTwo."
    assert document.cover is None
