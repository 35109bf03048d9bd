"""Requests, rows and reports as plain data; their words, verdicts and JSON."""
