"""An invented stage of two modules with a kernel between them, and the events of its inspection."""

from __future__ import annotations

from collections.abc import Sequence

from app.diagnostics.kernels.inspection import Inspection
from engine.validator.inspection.results import (
    CodeEvent,
    Edge,
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
    SourceLine,
    WrongValue,
)

STAGE = "f0n"
FILE = "engine/network/exportable/prosody.py"
FLOOR = 1e-7


def kernel(name: str, path: str = "", line: int = 0, operator: str = "conv1d") -> GraphNode:
    source = (SourceLine(FILE, line, f"x = {operator}(x)"),) if line else ()
    return GraphNode(
        name, NodeKind.KERNEL, f"{operator} {name}", (1, 64, 30), "float32", f"fused_{operator}", (operator,), path,
        source, "direct, tiles of 8 × 32", 2_000_000, 30_720,
    )  # fmt: skip


def graph_of(kernels: Sequence[GraphNode], edges: Sequence[tuple[str, str]], stage: str = STAGE) -> InspectedGraph:
    return InspectedGraph(stage, tuple(kernels), tuple(Edge(*pair) for pair in edges))


INPUT = GraphNode("in", NodeKind.INPUT, "prosody_features", (1, 30, 640), "float32")
OUTPUT = GraphNode("out", NodeKind.OUTPUT, "f0", (1, 60), "float32")
GRAPH = graph_of(
    (
        INPUT,
        kernel("a1", "predictor.F0.0.conv1", 64),
        kernel("a2", operator="add"),
        kernel("a3", "predictor.F0.0.conv2", 65),
        kernel("m", "predictor.shared", 66, "lstm"),
        kernel("b1", "predictor.N.0.conv1", 67),
        kernel("b2", "predictor.N.0.conv2", 67),
        OUTPUT,
    ),
    (("in", "a1"), ("a1", "a2"), ("a2", "a3"), ("in", "a2"), ("a3", "m"), ("m", "b1"), ("b1", "b2"), ("b2", "out")),
)


def measurement(node: str, verdict: KernelVerdict = KernelVerdict.RIGHT, times: float = 1.2) -> KernelMeasurement:
    wrong = WrongValue((0, 3, 17), 1.25, 0.5) if verdict is KernelVerdict.WRONG else None
    known = verdict is not KernelVerdict.UNKNOWN
    return KernelMeasurement(
        STAGE, node, verdict, 2.5e-4, times * FLOOR if known else None, times * 1e-6 if known else None,
        FLOOR if known else None, times if known else None, 100.0, wrong,
    )  # fmt: skip


FINDING = KernelFinding(STAGE, "b1", "fused_conv1d", "conv1d b1 is wrong from [0, 3, 17] on.")
MEASUREMENTS = (
    measurement("a1"),
    measurement("a2", KernelVerdict.UNKNOWN),
    measurement("a3", KernelVerdict.IMPRECISE, 130.0),
    measurement("m"),
    measurement("b1", KernelVerdict.WRONG, 31_000.0),
    measurement("b2"),
)
CODES = tuple(
    KernelCode(STAGE, name, f"@T.prim_func\ndef {name}():\n    pass") for name in ("fused_conv1d", "fused_add")
)


def inspected(*measurements: KernelMeasurement, graph: InspectedGraph = GRAPH, finished: bool = True) -> Inspection:
    """Return an inspection of the invented stage with these measurements, or all of them."""
    inspection = Inspection()
    inspection.handle_event(GraphEvent(graph))
    for each in measurements or MEASUREMENTS:
        inspection.handle_event(KernelEvent(each))
    if finished:
        for code in CODES:
            inspection.handle_event(CodeEvent(code))
        wrong = any(each.verdict is KernelVerdict.WRONG for each in measurements or MEASUREMENTS)
        inspection.handle_event(InspectedEvent(STAGE, (FINDING,) if wrong else ()))
    return inspection
