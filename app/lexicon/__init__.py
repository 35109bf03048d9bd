"""The Pronunciations window: the entries of the user's lexicon, edited in a table with a preview."""
