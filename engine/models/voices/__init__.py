"""Voices: packs, blends of them, and the blends that the user saves."""
