"""The state of reading: the open document, the position in it and the audio being played; independent of the window."""
