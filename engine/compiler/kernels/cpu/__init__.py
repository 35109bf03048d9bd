"""Hand-written kernels for CPUs."""
