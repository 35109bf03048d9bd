"""Speech for other apps: the server, run from the window."""
