"""How fast the Metal modules would be, on paper: counted in compiled graphs, for chips that are not here."""
