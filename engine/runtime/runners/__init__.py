"""Runners of single stages: compiled modules, PyTorch, ONNX Runtime, OpenVINO, or NumPy on the host."""
