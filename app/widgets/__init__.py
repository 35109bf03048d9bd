"""Widgets shared by several features."""
