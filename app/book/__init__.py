"""A chapter of a book, to read along with."""
