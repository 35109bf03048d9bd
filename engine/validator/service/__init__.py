"""The process that validates for the window, which sends requests and reads events as lines of JSON."""
