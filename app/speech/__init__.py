"""Typing text and having it spoken: the engine's thread, the text, the controls."""
