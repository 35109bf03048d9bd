"""The nodes of a traced stage: which operator each is, and which ones careful outputs are computed from.

It does not know what becomes of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import fx
from torch.export import ExportedProgram

from engine.stages import Stage


def operator_name(node: Any) -> str:
    """As torch calls the operator of a node; nothing for what is no operator's node."""
    return getattr(getattr(node, "target", None), "__name__", "")


def careful_nodes(stage: Stage, program: ExportedProgram) -> frozenset[str]:
    """The names of the nodes that the stage's careful outputs are computed from."""
    outputs: Any = program.graph.output_node().args[0]
    declared = zip(stage.outputs, outputs, strict=False)  # probes come after the declared outputs
    return _with_sources(node for tensor, node in declared if tensor.careful)


def _with_sources(nodes: Iterable[fx.Node]) -> frozenset[str]:
    names: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.name not in names:
            names.add(node.name)
            waiting.extend(node.all_input_nodes)
    return frozenset(names)
