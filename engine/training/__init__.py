"""Trains models: the starter model, and students of the prosody LSTM."""
