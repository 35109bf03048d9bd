"""Item models for the views. It does not know the engine."""
