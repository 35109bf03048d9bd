"""Generates speech with compiled modules: the pipeline of stages, its preparation and its fallback."""
