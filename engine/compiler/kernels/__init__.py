"""Hand-written kernels: what all targets share, with a package for CPUs and one for Apple's GPUs."""
