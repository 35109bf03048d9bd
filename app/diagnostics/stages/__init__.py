"""The list of the stages, whose rows hold figures and a strip along the words; the place of their pages."""
