"""How fast the compiled modules are, measured on this machine and compared with peers."""
