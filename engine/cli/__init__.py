"""The command line, one file per command: its options, what it does, and its words."""
