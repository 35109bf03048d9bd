"""The speech engine, without Qt, for the command line and the window."""
