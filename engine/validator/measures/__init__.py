"""Distances between two arrays, spectra or audio signals."""
