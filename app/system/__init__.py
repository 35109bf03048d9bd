"""The window's interface to the desktop and to Python: displays, folders, garbage collection."""
