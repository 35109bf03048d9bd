"""Everything that makes speech; usable from the command line and from the window, without Qt."""
