"""Runners of single stages: in compiled modules, PyTorch, ONNX Runtime, or numpy on the host."""
