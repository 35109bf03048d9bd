"""Document reading: opening files, the chapters panel and the reading position."""
