"""How fast the compiled modules are, measured here and beside others."""
