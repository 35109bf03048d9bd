"""Reads documents, such as books, into chapters of text to speak, with the styles and pictures to show beside it."""

from engine.text.documents.archive import read_picture
from engine.text.documents.document import Chapter, Document, Matter, Picture, Styled, TextStyle
from engine.text.documents.reading import PROJECT_SUFFIX, SUFFIXES, read_document

__all__ = [
    "PROJECT_SUFFIX",
    "SUFFIXES",
    "Chapter",
    "Document",
    "Matter",
    "Picture",
    "Styled",
    "TextStyle",
    "read_document",
    "read_picture",
]
