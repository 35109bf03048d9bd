"""Reading along: word marks, navigation by sentence, and a view with only the text."""
