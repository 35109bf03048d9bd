"""Voices: packs, blends, and the user's saved blends."""
