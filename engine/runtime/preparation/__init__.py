"""Makes ready what speaking needs: the device, the LSTM method, modules, weights."""
