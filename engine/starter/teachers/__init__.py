"""The speech engines the starter model learns from; they do not know what is learnt from them."""
