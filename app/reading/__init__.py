"""What is open, where one is in it and what is playing: one state with one owner, without a window."""
