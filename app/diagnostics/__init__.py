"""The diagnostics panel: how far the compiled model is from PyTorch, stage by stage."""
