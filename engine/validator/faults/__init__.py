"""Fault injection: a known fault in one kernel of one stage, to test that the validator finds it."""
