"""The window: type text, hear it, see it, save it. Making the speech itself is entirely the work of `engine`."""
