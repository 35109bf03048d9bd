"""Runs of the diagnostics: their data, names, folders, verdicts, and files."""
