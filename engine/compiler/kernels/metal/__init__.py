"""Hand-written kernels for Apple's GPUs; names are those of `engine.compiler.kernels.cpu`."""
