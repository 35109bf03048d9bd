"""How fast the speech modules are: on paper, for chips that are not here."""
