"""The results of inspecting the kernels of one run's stages, collected from events, and their wording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.diagnostics.colors import ColorTone
from engine.validator.data.wording import EXACT, NOTHING, counted, magnitude
from engine.validator.inspection.results import (
    CodeEvent,
    GraphEvent,
    GraphNode,
    InspectedEvent,
    InspectedGraph,
    KernelCode,
    KernelEvent,
    KernelFinding,
    KernelMeasurement,
    KernelVerdict,
    NodeKind,
    WrongValue,
)

_SEVERITIES = (KernelVerdict.UNKNOWN, KernelVerdict.RIGHT, KernelVerdict.IMPRECISE, KernelVerdict.WRONG)


@dataclass
class StageInspection:
    """The results for one stage; `findings` is None until all its kernels are measured."""

    graph: InspectedGraph
    measurements: dict[str, KernelMeasurement] = field(default_factory=dict)
    codes: dict[str, KernelCode] = field(default_factory=dict)
    findings: tuple[KernelFinding, ...] | None = None

    def __post_init__(self) -> None:
        self._nodes = {node.id: node for node in self.graph.nodes}

    @property
    def kernels(self) -> tuple[GraphNode, ...]:
        """The kernel calls, in order."""
        return tuple(node for node in self.graph.nodes if node.kind is NodeKind.KERNEL)

    def node(self, name: str | None) -> GraphNode | None:
        """Return a node by its ID."""
        return self._nodes.get(name or "")

    def worst(self, nodes: Iterable[str]) -> str | None:
        """Return the ID of the worst node, the first of equals; None if there are no nodes."""
        return max(nodes, key=lambda node: severity(self.measurements.get(node)), default=None)

    def worst_kernel(self) -> str | None:
        """Return the ID of the first finding's node, else of the worst kernel."""
        return self.findings[0].node if self.findings else self.worst(node.id for node in self.kernels)

    def read_by(self, node: str) -> tuple[GraphNode, ...]:
        """Return the nodes whose results this node reads."""
        return tuple(self._nodes[edge.source] for edge in self.graph.edges if edge.target == node)

    def readers_of(self, node: str) -> tuple[GraphNode, ...]:
        """Return the nodes that read this node's result."""
        return tuple(self._nodes[edge.target] for edge in self.graph.edges if edge.source == node)


class Inspection:
    """The results of one run's inspections by stage; inspecting a stage again discards its earlier results."""

    def __init__(self) -> None:
        self._stages: dict[str, StageInspection] = {}

    def stage(self, name: str | None) -> StageInspection | None:
        """Return the results for a stage; None if it was not inspected."""
        return self._stages.get(name or "")

    def handle_event(self, event: GraphEvent | KernelEvent | CodeEvent | InspectedEvent) -> str:
        """Store the result in an event; return the name of its stage."""
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
    """Return a sort key for how bad a measurement is: by verdict, then by the error relative to the floor."""
    if measurement is None:
        return (-1, 0.0)
    times = measurement.times_floor
    lost = measurement.verdict is not KernelVerdict.UNKNOWN and times is None
    return (_SEVERITIES.index(measurement.verdict), float("inf") if lost else times or 0.0)


SIGNS = {
    KernelVerdict.RIGHT: "✓",
    KernelVerdict.IMPRECISE: "≈",
    KernelVerdict.WRONG: "✗",
    KernelVerdict.UNKNOWN: "?",
}
TITLES = {
    KernelVerdict.RIGHT: "Right",
    KernelVerdict.IMPRECISE: "Imprecise",
    KernelVerdict.WRONG: "Wrong",
    KernelVerdict.UNKNOWN: "Not comparable",
}
DESCRIPTIONS = {
    KernelVerdict.RIGHT: "Given the same inputs, matches PyTorch float64 to within float32 rounding.",
    KernelVerdict.IMPRECISE: "Given the same inputs, loses far more to rounding than PyTorch’s float32.",
    KernelVerdict.WRONG: "Given the same inputs, its output differs from PyTorch’s.",
    KernelVerdict.UNKNOWN: "PyTorch has no value to compare its output with.",
}
TONES = {
    KernelVerdict.RIGHT: ColorTone.GOOD,
    KernelVerdict.IMPRECISE: ColorTone.WARNING,
    KernelVerdict.WRONG: ColorTone.ERROR,
    KernelVerdict.UNKNOWN: ColorTone.NOTE,
}
KINDS = {NodeKind.INPUT: "input", NodeKind.OUTPUT: "output", NodeKind.KERNEL: "kernel"}
FLOOR = " × float32"
NOT_MEASURED = "not measured yet"
_PREFIXES = ("", "k", "M", "G", "T")


def format_error(measurement: KernelMeasurement | None) -> str:
    """Return a kernel's own error relative to that of PyTorch's float32."""
    if measurement is None:
        return NOTHING
    if measurement.finite_percent < 100:
        return f"{magnitude(measurement.finite_percent)} % finite"
    if measurement.times_floor is None:
        return NOTHING
    if not measurement.max_abs and not measurement.times_floor:
        return EXACT
    return f"{magnitude(measurement.times_floor)}{FLOOR}"


def describe_state(node: GraphNode, measurement: KernelMeasurement | None) -> str:
    """Return the verdict's sign and the error; for nodes other than kernels, the kind."""
    if node.kind is not NodeKind.KERNEL:
        return KINDS[node.kind]
    if measurement is None:
        return NOT_MEASURED
    words = TITLES[measurement.verdict] if measurement.verdict is KernelVerdict.UNKNOWN else format_error(measurement)
    return f"{SIGNS[measurement.verdict]} {words}"


def format_short_error(measurement: KernelMeasurement | None) -> str:
    """Return the verdict's sign and the error relative to float32's, as short as possible."""
    if measurement is None:
        return NOTHING
    return f"{SIGNS[measurement.verdict]} {format_error(measurement)}".removesuffix(FLOOR).removesuffix(NOTHING)


def summarize_inspection(known: StageInspection) -> str:
    """Summarize the number of kernels, measurements and findings of a stage."""
    kernels, measured = len(known.kernels), len(known.measurements)
    if known.findings is None:
        return f"{measured} of {kernels} kernels measured"
    if not known.findings:
        imprecise = sum(each.verdict is KernelVerdict.IMPRECISE for each in known.measurements.values())
        tail = f"none is wrong, {imprecise} imprecise" if imprecise else "none is wrong"
        return f"{counted(kernels, 'kernel')}, {tail}"
    return " ".join(dict.fromkeys(finding.words for finding in known.findings))


def format_amount(amount: float | None, unit: str) -> str:
    """Format an amount with three digits and a prefix, as in 1.23 GFLOP; a dash if unknown."""
    if amount is None:
        return NOTHING
    power = 0
    while abs(amount) >= 999.5 and power < len(_PREFIXES) - 1:
        amount, power = amount / 1000, power + 1
    return f"{magnitude(amount)} {_PREFIXES[power]}{unit}"


def format_duration(seconds: float) -> str:
    """Format the time of a call, in microseconds or milliseconds."""
    return f"{magnitude(seconds * 1e6)} µs" if seconds < 1e-3 else f"{magnitude(seconds * 1e3)} ms"


def figures_of(node: GraphNode, measurement: KernelMeasurement | None) -> tuple[tuple[str, str], ...]:
    """Return all data on a node, each with its name."""
    figures = [("Computes", " + ".join(node.operators) or KINDS[node.kind]), ("Module", node.module_path or NOTHING)]
    figures.append(("Result", f"{' × '.join(map(str, node.shape)) or 'a number'}, {node.dtype}"))
    if node.kind is NodeKind.KERNEL:
        figures += [("Kernel", node.kernel), ("Schedule", node.schedule or NOTHING)]
    return (*figures, *(_measured_figures(node, measurement) if measurement is not None else ()))


def _measured_figures(node: GraphNode, measured: KernelMeasurement) -> list[tuple[str, str]]:
    figures = [
        ("Verdict", f"{SIGNS[measured.verdict]} {TITLES[measured.verdict]}: {DESCRIPTIONS[measured.verdict]}"),
        ("Error", f"{magnitude(measured.relative_l2)} relative, {magnitude(measured.max_abs)} at most"),
        ("PyTorch’s float32", f"{magnitude(measured.floor)} relative; ours is {format_error(measured)}"),
    ]
    if measured.first_wrong is not None:
        figures.append(("First wrong value", describe_wrong_value(measured.first_wrong)))
    if measured.finite_percent < 100:
        figures.append(("Finite", f"{magnitude(measured.finite_percent)} %"))
    figures.append(("Time per call", format_duration(measured.seconds)))
    figures.append(("Operations", _format_rate(node.operations, measured.seconds, "FLOP")))
    figures.append(("Memory", _format_rate(node.bytes, measured.seconds, "B")))
    return figures


def describe_wrong_value(wrong: WrongValue) -> str:
    """Describe the first wrong value: its position, the actual and the expected value."""
    place = ", ".join(map(str, wrong.index))
    return f"[{place}] is {magnitude(wrong.ours)}, expected {magnitude(wrong.expected)}"


def _format_rate(amount: int | None, seconds: float, unit: str) -> str:
    if amount is None or seconds <= 0:
        return format_amount(amount, unit)
    return f"{format_amount(amount, unit)}, {format_amount(amount / seconds, unit)}/s"
