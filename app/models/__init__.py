"""Management of the speech models on this machine: list, download, import, remove."""
