"""What is heard: output devices, the player, tracks, the waveform."""
