"""Kokoro's network: the reference, the exportable rewrite, weights. It does not know TVM."""
