"""Waveforms after the model: joined, written to files, played."""
