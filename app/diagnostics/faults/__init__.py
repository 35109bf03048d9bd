"""The fault drill."""
