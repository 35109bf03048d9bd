"""Hand-written kernels for Apple's GPUs; names are those of `engine.kernels.cpu`."""
