"""The process that validates for the window."""
