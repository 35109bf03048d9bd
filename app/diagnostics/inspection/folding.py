"""A stage's graph, with the kernels of each of kokoro's modules folded into one box until one looks closer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile

from engine.inspection.results import GraphNode, NodeKind, StageGraph

MOST_BOXES = 48
"""About as many boxes as can be told apart when a graph is first seen."""


@dataclass(frozen=True)
class Box:
    """A node of the picture: one node of the graph, or all those of a module that is folded.

    `nodes` are their ids in the order of the graph; `module_path` is empty for a single node.
    """

    nodes: tuple[str, ...]
    module_path: str = ""

    @property
    def folded(self) -> bool:
        """Whether it stands for a whole module."""
        return bool(self.module_path)


@dataclass(frozen=True)
class FoldedGraph:
    """Boxes in the order of their first nodes; `edges` are pairs of numbers of boxes, each pair once."""

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int], ...]

    def box_of(self, node: str) -> int | None:
        """The number of the box that shows a node of the graph; None if none does."""
        return next((number for number, box in enumerate(self.boxes) if node in box.nodes), None)


@dataclass(frozen=True)
class Modules:
    """The modules of a graph that can be folded.

    `members` are the ids of the nodes inside each, by its path; `around` the paths of those around each node, by its
    id, the outermost first.
    """

    members: Mapping[str, tuple[str, ...]]
    around: Mapping[str, tuple[str, ...]]


def modules_of(graph: StageGraph) -> Modules:
    """The modules of at least two nodes; of modules with the same nodes, the innermost."""
    homes = _homes(graph.nodes)
    members: dict[str, list[str]] = {}
    for node, home in homes.items():
        for path in _outer_paths(home):
            members.setdefault(path, []).append(node)
    innermost = {tuple(nodes): path for path, nodes in sorted(members.items(), key=lambda item: len(item[0]))}
    kept = {path: nodes for nodes, path in innermost.items() if len(nodes) > 1}
    around = {node: tuple(path for path in _outer_paths(home) if path in kept) for node, home in homes.items()}
    return Modules(kept, around)


def _homes(nodes: Sequence[GraphNode]) -> dict[str, str]:
    """The path of the module that each kernel is in, by its id.

    One that has none of its own, such as an addition, is in the module that the kernels called before and after it
    share: modules are computed one after the other.
    """
    kernels = [node for node in nodes if node.kind is NodeKind.KERNEL]
    paths = [node.module_path for node in kernels]
    around = zip(paths, _carried(paths), reversed(_carried(paths[::-1])), strict=True)
    return {
        node.id: path or _shared(before, behind) for node, (path, before, behind) in zip(kernels, around, strict=True)
    }


def _carried(paths: Sequence[str]) -> list[str]:
    """Each path, or the last one before it that is not empty."""

    def last_of(last: str, path: str) -> str:
        return path or last

    return list(accumulate(paths, last_of))


def fold(graph: StageGraph, modules: Modules, unfolded: Collection[str]) -> FoldedGraph:
    """The graph with every module folded unless it, and all around it, are `unfolded`."""
    boxes: dict[str, list[str]] = {}
    paths: dict[str, str] = {}
    where: dict[str, str] = {}
    for node in graph.nodes:
        path = next((path for path in modules.around.get(node.id, ()) if path not in unfolded), "")
        key = f"module {path}" if path else f"node {node.id}"
        boxes.setdefault(key, []).append(node.id)
        paths[key] = path
        where[node.id] = key
    numbers = {key: number for number, key in enumerate(boxes)}
    pairs = ((numbers[where[edge.source]], numbers[where[edge.target]]) for edge in graph.edges)
    edges = tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))
    return FoldedGraph(tuple(Box(tuple(nodes), paths[key]) for key, nodes in boxes.items()), edges)


def first_unfolded(graph: StageGraph, modules: Modules, to_show: Collection[str]) -> frozenset[str]:
    """The modules to unfold first: those around the nodes `to_show`, then outer ones while the picture stays small."""
    parts = _parts(graph, modules)
    unfolded = {path for node in graph.nodes if node.id in to_show for path in modules.around.get(node.id, ())}
    count = len(parts[""]) + sum(len(parts[path]) - 1 for path in unfolded)
    inside = {part: path for path, names in parts.items() for part in names}
    for path in sorted(modules.members, key=lambda path: (path.count("."), len(modules.members[path]))):
        more = len(parts[path]) - 1
        if path not in unfolded and inside[path] in {"", *unfolded} and count + more <= MOST_BOXES:
            unfolded.add(path)
            count += more
    return frozenset(unfolded)


def _parts(graph: StageGraph, modules: Modules) -> dict[str, set[str]]:
    """What shows up when a module is unfolded, by its path: modules right inside it and nodes in none of those."""
    parts: dict[str, set[str]] = {"": set()}
    for node in graph.nodes:
        chain = ("", *modules.around.get(node.id, ()), f"node {node.id}")
        for path, part in pairwise(chain):
            parts.setdefault(path, set()).add(part)
    return parts


def _shared(one: str, other: str) -> str:
    """The path of the innermost module around both."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return ".".join(name for name, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _outer_paths(path: str) -> Iterator[str]:
    """A module's path and those of the modules around it, the outermost first."""
    names = path.split(".") if path else []
    for count in range(1, len(names) + 1):
        yield ".".join(names[:count])
