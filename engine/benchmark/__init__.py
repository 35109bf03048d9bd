"""How fast the speech modules are: measured here, beside others, or on paper, for chips that are not here."""
