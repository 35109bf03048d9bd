"""Hand-written kernels: what their operators share, and one folder for each kind of device."""
