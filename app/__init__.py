"""The window, to type, play, view and save text; generating the speech is entirely the task of `engine`."""
