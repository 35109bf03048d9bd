"""The user's lexicon: pronunciations of words and rules for text, which take precedence over misaki's lexicon."""
