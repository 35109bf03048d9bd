"""Exports documents to audio files, chapter by chapter; finished audio is cached until all of it is written."""
