"""Bundles: all results of a run in one file, written and opened again."""
