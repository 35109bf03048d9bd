"""The bundle: the application with its own Python, as a folder for Linux and an .app for Macs; see README.md."""
