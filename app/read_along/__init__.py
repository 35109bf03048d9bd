"""Reading along: the words heard, the sentences to go by, and a view with nothing but the text."""
