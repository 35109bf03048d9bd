"""A stage's graph as it is drawn."""

import pytest

from engine.compiler.traced_graph import numbers_of
from engine.stages import stage_named
from engine.system.paths import project_folder
from engine.validator.inspection.graph_picture import CallFacts, picture
from engine.validator.inspection.inspector import Inspector
from engine.validator.inspection.results import GraphNode, NodeKind, StageGraph


@pytest.fixture(scope="module")
def graph(inspector: Inspector, steps) -> StageGraph:
    stage = stage_named("f0n")
    kernels = inspector.kernels(stage)
    count = len(kernels.graph.calls)
    shapes = [steps["f0n"].inputs[tensor.name].shape for tensor in stage.inputs]
    numbers = numbers_of(kernels.graph.translated.program, shapes)
    facts = [CallFacts((1,), 4)] * count
    return picture(stage, kernels.graph, dict.fromkeys(range(count), "as it is"), facts, numbers)


def kernels_of(graph: StageGraph) -> list[GraphNode]:
    return [node for node in graph.nodes if node.kind is NodeKind.KERNEL]


def test_edges_lead_from_earlier_nodes_to_later_ones(graph: StageGraph) -> None:
    places = {node.id: place for place, node in enumerate(graph.nodes)}
    assert len(places) == len(graph.nodes)
    assert all(places[edge.source] < places[edge.target] for edge in graph.edges)


def test_nothing_is_left_unconnected(graph: StageGraph) -> None:
    sources, targets = {edge.source for edge in graph.edges}, {edge.target for edge in graph.edges}
    for node in graph.nodes:
        weights_alone = node.label == "broadcast_to of lstm"
        assert node.id in targets or node.kind is NodeKind.INPUT or weights_alone
        assert node.id in sources or node.kind is NodeKind.OUTPUT


def test_a_line_of_the_program_made_each_kernel(graph: StageGraph) -> None:
    for node in kernels_of(graph):
        line = node.source[0]
        written = (project_folder() / line.file).read_text(encoding="utf-8").splitlines()
        assert written[line.line - 1].strip() == line.text


def test_kernels_belong_to_kokoros_modules(graph: StageGraph) -> None:
    paths = {node.module_path for node in kernels_of(graph)}
    assert {"predictor.shared", "predictor.F0.0.conv1", "predictor.N.2.norm2.norm", "predictor.N_proj"} <= paths


def test_operations_are_those_of_the_weights(graph: StageGraph, steps) -> None:
    frames = steps["f0n"].inputs["frame_token"].shape[1]
    (node,) = [node for node in kernels_of(graph) if node.module_path == "predictor.F0.0.conv1"]
    assert node.operations == 2 * 128 * 128 * 3 * frames
