"""The results of compiling: manifests, freshness, packed weights."""
