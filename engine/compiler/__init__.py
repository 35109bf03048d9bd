"""From exported stages to weight-free libraries."""
