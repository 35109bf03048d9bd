"""Prepares everything that speech needs: the device, the LSTM method, modules, weights."""
