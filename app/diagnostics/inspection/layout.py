"""Where the boxes of a graph go, and how its edges run between them: in layers, along the direction of reading.

graphlay places and routes them: it takes boxes of any size, leads edges round boxes, gives the same picture for the
same graph, and is one library without a program beside it. It keeps Python's lock while it works, up to a second for
the largest graphs, so only a process of its own may call `lay_out`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

Point = tuple[float, float]
OPTIONS = {
    "direction": "topbottom",
    "effort": "fast",
    "spacing": {"layer_gap": 30.0, "node_gap": 22.0, "dummy_gap": 14.0, "port_gap": 10.0},
    "routing": {"merge_edges": "forks"},
}


@dataclass(frozen=True)
class Drawing:
    """Boxes by their widths and heights in pixels, and edges as pairs of numbers of boxes, from and to."""

    sizes: tuple[tuple[float, float], ...]
    edges: tuple[tuple[int, int], ...]

    def plain(self) -> dict[str, Any]:
        """The drawing as values for `json.dumps`."""
        return asdict(self)


@dataclass(frozen=True)
class Layout:
    """The centres of a drawing's boxes and the corners of its edges, in pixels from the top left corner."""

    centres: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float

    def plain(self) -> dict[str, Any]:
        """The layout as values for `json.dumps`."""
        return asdict(self)


def drawing_from(plain: Mapping[str, Any]) -> Drawing:
    """The drawing written by `Drawing.plain`; raises `ValueError`, `KeyError` or `TypeError` for anything else."""
    sizes = tuple((float(width), float(height)) for width, height in plain["sizes"])
    return Drawing(sizes, tuple((int(source), int(target)) for source, target in plain["edges"]))


def layout_from(plain: Mapping[str, Any]) -> Layout:
    """The layout written by `Layout.plain`; raises `ValueError`, `KeyError` or `TypeError` for anything else."""
    routes = tuple(_points(route) for route in plain["routes"])
    return Layout(_points(plain["centres"]), routes, float(plain["width"]), float(plain["height"]))


def lay_out(drawing: Drawing) -> Layout:
    """Place the boxes and route the edges; raises `ValueError` where an edge has no box."""
    import graphlay

    graph = graphlay.Graph()
    for number, (width, height) in enumerate(drawing.sizes):
        graph.node(number, width=width, height=height)
    for source, target in drawing.edges:
        graph.edge(source, target)
    placed = graphlay.layout(graph, options=OPTIONS)
    low, high = placed.bounds["min"], placed.bounds["max"]

    def point(at: Mapping[str, float]) -> Point:
        return at["x"] - low["x"], at["y"] - low["y"]

    return Layout(
        tuple(point(node["center"]) for node in placed.nodes),
        tuple(tuple(point(corner) for corner in edge["points"]) for edge in placed.edges),
        high["x"] - low["x"],
        high["y"] - low["y"],
    )


def _points(plain: Any) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in plain)
