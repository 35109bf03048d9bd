"""Estimates of the Metal modules' speed on Apple's chips, computed from counts in compiled graphs, not measured."""
