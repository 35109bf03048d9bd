"""Subtitles of the audio: readable captions, and the times of their words."""
