"""Speaks with compiled modules: the pipeline of stages, and what prepares and replaces it."""
