"""From exported stages to libraries without weights."""
