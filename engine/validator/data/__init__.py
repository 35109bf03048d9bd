"""Requests, rows and reports as plain data; their wording, verdicts and JSON."""
