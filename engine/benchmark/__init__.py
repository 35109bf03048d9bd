"""Benchmarks of the compiled modules on this machine, compared with peers."""
