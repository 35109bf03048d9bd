"""Inspects the compiled module of a stage: its graph, and the result of every kernel in it."""
