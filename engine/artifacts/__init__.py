"""What compiling leaves behind: manifests, freshness, packed weights."""
