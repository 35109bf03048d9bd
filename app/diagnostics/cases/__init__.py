"""Failing cases: copied as a command, saved, reduced."""
