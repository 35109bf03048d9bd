"""A validation run: utterances through every regime, stage by stage, rated against the floor and a golden run."""
