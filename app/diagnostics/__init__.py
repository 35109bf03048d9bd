"""The diagnostics panel: the compiled model compared with PyTorch, stage by stage."""
