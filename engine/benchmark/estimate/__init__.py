"""How fast the Metal modules should be on Apple's chips: worked out from counts in compiled graphs, not measured."""
