"""How much a convolution by Winograd may lose to rounding, by its number of points."""

FEW_POINTS = 11
FEW_POINTS_LOSS = 5e-5
MANY_POINTS_LOSS = 6e-4
"""The largest error of a sum of n products of about 1, divided by the square root of n; measured: 3.4e-4 for F(8, 7),
5.4e-4 for F(6, 11)."""
