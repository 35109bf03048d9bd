"""Typing text and playing it as speech: the engine's thread, the text, the controls."""
