"""A stage's graph as plain data to draw: each kernel call's operators, sources and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import prod

from torch import fx

from engine.compiler.traced_graph import Numbers, number_of, operator_name, shape_of
from engine.stages import Stage
from engine.validator.inspection.kernel_calls import CompiledGraph, KernelCall, inputs_of
from engine.validator.inspection.reference_stage import is_length, is_lstm, needed, role
from engine.validator.inspection.results import Edge, GraphNode, InspectedGraph, NodeKind
from engine.validator.inspection.translation import source_of

_SILENT = ("alias", "to", "reshape", "view", "unsqueeze", "expand", "getitem", "slice", "select", "contiguous")
"""Operators that only view values differently; labels omit them beside other operators."""


@dataclass(frozen=True)
class CallFacts:
    """The shape of a call's result, and the bytes of its arguments including the result, as seen in one run."""

    shape: tuple[int, ...]
    bytes: int


def picture(
    stage: Stage, graph: CompiledGraph, schedules: Mapping[int, str], facts: Sequence[CallFacts], numbers: Numbers
) -> InspectedGraph:
    """Return the graph of a stage; `schedules` and `facts` are indexed by the number of the call."""
    painter = _Painter(graph, numbers)
    inputs = [_place(tensor.name, NodeKind.INPUT, tensor.dtype) for tensor in stage.inputs]
    outputs = [_place(f"{tensor.name} out", NodeKind.OUTPUT, tensor.dtype) for tensor in stage.outputs]
    kernels = [painter.node(index, schedules[index], facts[index]) for index in range(len(graph.calls))]
    return InspectedGraph(stage.name, (*inputs, *kernels, *outputs), tuple(painter.edges(stage)))


def call_id(index: int, call: KernelCall) -> str:
    """Return the id of a call: its place in the order of execution and its kernel."""
    return f"{index:03d} {call.kernel}"


def computed(graph: CompiledGraph, call: KernelCall) -> list[fx.Node]:
    """Return the torch nodes that a call computes, in order; for a kernel inside an LSTM, the LSTM alone."""
    node = graph.node_of(call.output)
    if node is None or role(call.kernel) == "recurrence":
        maker = graph.translated.makers.get(call.output)
        return [] if maker is None else [maker]
    known = {graph.node_of(variable) for variable in call.inputs if variable is not None}
    known |= set(inputs_of(graph))
    return [one for one in needed(node, {one for one in known if one is not None}) if one in graph.fed_by_inputs] or [
        node
    ]


def weights_of(graph: CompiledGraph, nodes: Sequence[fx.Node]) -> list[str]:
    """Return the keys of the weights that these nodes read, those of a single layer first."""
    keys = graph.translated.program.graph_signature.inputs_to_parameters
    return [keys[one.name] for node in nodes for one in node.all_input_nodes if one.name in keys]


class _Painter:
    def __init__(self, graph: CompiledGraph, numbers: Numbers) -> None:
        self._graph = graph
        self._numbers = numbers
        self._paths: dict[str, str] = {}
        self._ids = {call.output: call_id(index, call) for index, call in enumerate(graph.calls)}

    def node(self, index: int, schedule: str, facts: CallFacts) -> GraphNode:
        """Return the node of a call."""
        call = self._graph.calls[index]
        nodes = computed(self._graph, call)
        operators = tuple(operator_name(one).partition(".")[0] for one in nodes if not is_length(one))
        loud = [name for name in operators if name not in _SILENT] or list(operators[-1:])
        inside = bool(nodes) and is_lstm(nodes[-1]) and role(call.kernel) != "recurrence"
        self._paths[call.output] = self._path(call, nodes)
        return GraphNode(
            id=call_id(index, call),
            kind=NodeKind.KERNEL,
            label=f"{role(call.kernel)} of lstm" if inside else " + ".join(dict.fromkeys(loud)) or call.kernel,
            shape=facts.shape,
            dtype=call.dtype,
            kernel=call.kernel,
            operators=operators,
            module_path=self._paths[call.output],
            source=source_of(nodes[-1]) if nodes else (),
            schedule=schedule,
            operations=None if inside else self._operations(nodes),
            bytes=facts.bytes,
        )

    def edges(self, stage: Stage) -> Iterator[Edge]:
        """Yield every result that a later call reads, every input that a call reads, and every output."""
        names = {node.name: tensor.name for node, tensor in zip(inputs_of(self._graph), stage.inputs, strict=True)}
        for index, call in enumerate(self._graph.calls):
            for source in dict.fromkeys(self._origin(variable, names) for variable in call.inputs if variable):
                if source is not None:
                    yield Edge(source, call_id(index, call))
        for tensor, variable in zip(stage.outputs, self._graph.outputs, strict=False):
            source = self._origin(variable, names)
            if source is not None:
                yield Edge(source, f"{tensor.name} out")

    def _origin(self, variable: str, inputs: Mapping[str, str]) -> str | None:
        """Return the id of the source of a variable; None for a weight."""
        origin = self._graph.origin(variable)
        return self._ids.get(origin) or inputs.get(origin)

    def _path(self, call: KernelCall, nodes: Sequence[fx.Node]) -> str:
        """Return the path of Kokoro's module whose weights a call reads, or else that of its first source."""
        own = _common([key.split(".")[:-1] for key in weights_of(self._graph, nodes)])
        inherited = (self._paths.get(self._graph.origin(variable), "") for variable in call.inputs if variable)
        return own or next((path for path in inherited if path), "")

    def _operations(self, nodes: Sequence[fx.Node]) -> int | None:
        """Return the multiplications and additions of the heavy operators; None if there are none."""
        found = [operations_of(node, self._numbers) for node in nodes]
        return sum(found) or None


def operations_of(node: fx.Node, numbers: Numbers) -> int:
    """Return the multiplications and additions that an operator with weights, or attention, needs; 0 for any other."""

    def size(one: object) -> int:
        return prod(number_of(extent, numbers) for extent in shape_of(one))

    match operator_name(node):
        case "conv1d.default":
            return 2 * size(node.args[1]) * size(node) // number_of(shape_of(node)[1], numbers)
        case "conv_transpose1d.default":
            channels = number_of(shape_of(node.args[0])[1], numbers)
            return 2 * size(node.args[1]) * size(node.args[0]) // channels
        case "linear.default":
            return 2 * size(node) * number_of(shape_of(node.args[0])[-1], numbers)
        case "attention.default":
            return 4 * size(node) * number_of(shape_of(node)[1], numbers)
        case _ if is_lstm(node):
            batch, time, _ = (number_of(extent, numbers) for extent in shape_of(node))
            return sum(2 * size(weight) * batch * time for weight in node.args[3::3])
    return 0


def _common(paths: Sequence[Sequence[str]]) -> str:
    """Return the longest path that all begin with."""
    together = takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False))
    return ".".join(parts[0] for parts in together)


def _place(name: str, kind: NodeKind, dtype: str) -> GraphNode:
    return GraphNode(name, kind, name.removesuffix(" out"), (), dtype)
