"""Looks into the compiled module of a stage: its graph, and what every kernel in it computes."""
