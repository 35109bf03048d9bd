"""What the window asks of the desktop and of Python: displays, screenshots, folders, garbage."""
