"""Faults planted on purpose, each in one kernel of one stage, to see that the validator finds them."""
