"""Things that can run one stage: compiled modules, PyTorch, the host."""
