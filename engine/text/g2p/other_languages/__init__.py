"""Text to phonemes for every language but English, with the parts of misaki for them."""
