"""How far two arrays, spectra or sounds are from each other."""
