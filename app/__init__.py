"""The window: type text, hear it, see it, save it. It does not know how speech is made; the engine does."""
