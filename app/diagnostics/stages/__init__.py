"""The list of stages, whose rows hold metrics and a strip along the words, and the container of their pages."""
