"""Hand-written kernels for processors."""
