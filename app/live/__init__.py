"""What can be changed while speech is heard: its speed, voice and pauses, and the place it is spoken from."""
