"""Kokoro's network in PyTorch: the reference, the exportable rewrite, weights."""
