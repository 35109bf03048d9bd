"""The speech models on this machine: listed, fetched, imported, removed."""
