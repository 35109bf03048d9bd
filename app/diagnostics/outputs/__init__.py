"""One output of one stage: both signals, their difference, the values at a position, and playback."""
