"""From box to box by the arrow keys: along the edges up and down, to what stands beside it left and right."""

from __future__ import annotations

from enum import Enum

from app.diagnostics.inspection.folding import FoldedGraph
from app.diagnostics.inspection.layout import Layout

_ASIDE = 3.0
"""How much more a pixel up or down counts than one to the side, when the nearest box to the side is sought."""


class Direction(Enum):
    """Where to go from a box."""

    TO_SOURCES = "up"
    TO_TARGETS = "down"
    LEFT = "left"
    RIGHT = "right"


def neighbour(folded: FoldedGraph, layout: Layout, number: int, direction: Direction) -> int | None:
    """The number of the box that one comes to from box `number`; None where there is none."""
    x, y = layout.centres[number]

    def distance(other: int) -> float:
        there_x, there_y = layout.centres[other]
        return abs(there_x - x) + _ASIDE * abs(there_y - y)

    if direction is Direction.TO_SOURCES:
        reached = [source for source, target in folded.edges if target == number]
    elif direction is Direction.TO_TARGETS:
        reached = [target for source, target in folded.edges if source == number]
    else:
        sign = 1 if direction is Direction.RIGHT else -1
        reached = [other for other, (there, _) in enumerate(layout.centres) if sign * (there - x) > 0]
    return min(reached, key=distance, default=None)
