"""Audio output: devices, the player, tracks, the waveform."""
