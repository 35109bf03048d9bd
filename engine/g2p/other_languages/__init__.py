"""Text to phonemes for every language but English, by what misaki has for them."""
