"""The bundle: the app with its own Python, as a folder for Linux and an .app for macOS; see README.md."""
