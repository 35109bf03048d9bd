"""The speech engines from which the starter model learns."""
