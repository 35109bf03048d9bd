"""Reads documents, such as books, into the text that is to be spoken, chapter by chapter."""

from engine.documents.document import Chapter, Document

__all__ = ["Chapter", "Document"]
