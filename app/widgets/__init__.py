"""What the window is made of, one widget per file. It does not know the engine."""
