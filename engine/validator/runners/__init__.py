"""The regimes, ways of running the whole model, and the runners that they are made of."""
