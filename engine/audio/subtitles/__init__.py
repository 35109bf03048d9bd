"""Subtitles of what was spoken: captions that can be read, and the times of their words."""
