"""The regimes, ways of running the whole model, and their runners."""
