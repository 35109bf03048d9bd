"""A failing case: reduced to the smallest input, saved, explained, and run again."""
