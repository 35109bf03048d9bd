"""Converts text to phonemes in every language but English, with the parts of misaki for them."""
