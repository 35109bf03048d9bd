"""Failing cases: reduced to the smallest input, saved, explained, and run again."""
