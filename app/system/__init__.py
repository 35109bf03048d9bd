"""What the window asks of the desktop and of Python: displays, folders, garbage collection."""
