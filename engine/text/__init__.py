"""Text into what is spoken: documents read, languages told apart, words turned into phonemes."""
