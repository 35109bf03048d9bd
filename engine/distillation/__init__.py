"""Students of a model's LSTMs: taught, measured, compiled."""
