"""The network, its weights and the two ways of running it in PyTorch; it does not know TVM."""
