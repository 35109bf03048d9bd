"""Reads documents, such as books, into the text that is to be spoken, chapter by chapter, and what is shown with it."""

from engine.text.documents.archive import read_picture
from engine.text.documents.document import Chapter, Document, Look, Matter, Picture, Styled
from engine.text.documents.reading import SUFFIXES, read_document

__all__ = ["SUFFIXES", "Chapter", "Document", "Look", "Matter", "Picture", "Styled", "read_document", "read_picture"]
