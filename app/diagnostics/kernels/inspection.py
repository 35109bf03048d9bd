"""What is known of the kernels of one run's stages, from the events of its inspection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.validator.inspection.results import (
    CodeEvent,
    GraphEvent,
    GraphNode,
    InspectedEvent,
    KernelCode,
    KernelEvent,
    KernelFinding,
    KernelMeasurement,
    KernelVerdict,
    NodeKind,
    StageGraph,
)

_SEVERITIES = (KernelVerdict.UNKNOWN, KernelVerdict.RIGHT, KernelVerdict.IMPRECISE, KernelVerdict.WRONG)


@dataclass
class StageInspection:
    """One stage; `findings` is None until all its kernels are measured."""

    graph: StageGraph
    measurements: dict[str, KernelMeasurement] = field(default_factory=dict)
    codes: dict[str, KernelCode] = field(default_factory=dict)
    findings: tuple[KernelFinding, ...] | None = None

    def __post_init__(self) -> None:
        self._nodes = {node.id: node for node in self.graph.nodes}

    @property
    def kernels(self) -> tuple[GraphNode, ...]:
        """The calls of kernels, in their order."""
        return tuple(node for node in self.graph.nodes if node.kind is NodeKind.KERNEL)

    def node(self, name: str | None) -> GraphNode | None:
        """A node by its id."""
        return self._nodes.get(name or "")

    def worst(self, nodes: Iterable[str]) -> str | None:
        """The id of the node that is worst, of equals the first; None if there are no nodes."""
        return max(nodes, key=lambda node: severity(self.measurements.get(node)), default=None)

    def worst_kernel(self) -> str | None:
        """The id of the first finding's node, else of the kernel that is worst."""
        return self.findings[0].node if self.findings else self.worst(node.id for node in self.kernels)

    def read_by(self, node: str) -> tuple[GraphNode, ...]:
        """The nodes whose results this one reads."""
        return tuple(self._nodes[edge.source] for edge in self.graph.edges if edge.target == node)

    def readers_of(self, node: str) -> tuple[GraphNode, ...]:
        """The nodes that read this one's result."""
        return tuple(self._nodes[edge.target] for edge in self.graph.edges if edge.source == node)


class Inspection:
    """Collects the events of one run's inspections, stage by stage; a stage inspected again starts anew."""

    def __init__(self) -> None:
        self._stages: dict[str, StageInspection] = {}

    def stage(self, name: str | None) -> StageInspection | None:
        """What is known of a stage; None if it was not inspected."""
        return self._stages.get(name or "")

    def take(self, event: GraphEvent | KernelEvent | CodeEvent | InspectedEvent) -> str:
        """Take an event; returns the name of the stage that it concerns."""
        match event:
            case GraphEvent(graph):
                self._stages[graph.stage] = StageInspection(graph)
                return graph.stage
            case KernelEvent(measurement):
                self._stages[measurement.stage].measurements[measurement.node] = measurement
                return measurement.stage
            case CodeEvent(code):
                self._stages[code.stage].codes[code.kernel] = code
                return code.stage
            case InspectedEvent(stage, findings):
                self._stages[stage].findings = findings
                return stage


def severity(measurement: KernelMeasurement | None) -> tuple[int, float]:
    """How bad a measurement is, for sorting: by verdict, then by its error over the floor."""
    if measurement is None:
        return (-1, 0.0)
    times = measurement.times_floor
    lost = measurement.verdict is not KernelVerdict.UNKNOWN and times is None
    return (_SEVERITIES.index(measurement.verdict), float("inf") if lost else times or 0.0)
