"""Turns text into phonemes: reads documents, detects languages and converts words."""
