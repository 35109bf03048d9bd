"""The operators with hand-written kernels: their definitions in numpy, and as PyTorch custom operators."""
