"""The calls of a stage's module, and the torch nodes that they compute."""

from collections import Counter

import pytest

from engine.compiler.traced_graph import operator_name
from engine.stages import stage_named
from engine.validator.inspection.graph_picture import computed
from engine.validator.inspection.inspector import Inspector
from engine.validator.inspection.meanings import is_lstm, lstm_meaning, role

STAGES = ("duration", "f0n", "text_encoder", "source", "istft")
HEAVY = ("conv1d.default", "conv_transpose1d.default", "attention.default", "adaptive_layer_norm.default")


@pytest.mark.parametrize("name", STAGES)
def test_every_call_computes_a_value_that_pytorch_has_or_a_part_of_an_lstm(inspector: Inspector, name: str) -> None:
    graph = inspector.kernels(stage_named(name)).graph
    for call in graph.calls:
        if graph.node_of(call.output) is None:
            assert is_lstm(graph.translated.makers[call.output])
            assert lstm_meaning(call.kernel) is not None


@pytest.mark.parametrize("name", STAGES)
def test_every_heavy_operator_is_computed_once(inspector: Inspector, name: str) -> None:
    graph = inspector.kernels(stage_named(name)).graph
    done = Counter(node for call in graph.calls for node in computed(graph, call) if operator_name(node) in HEAVY)
    heavy = [node for node in graph.translated.program.graph.nodes if operator_name(node) in HEAVY]
    assert done == Counter(heavy)


@pytest.mark.parametrize("name", STAGES)
def test_every_lstm_has_one_recurrence(inspector: Inspector, name: str) -> None:
    graph = inspector.kernels(stage_named(name)).graph
    recurrences = [graph.node_of(call.output) for call in graph.calls if role(call.kernel) == "recurrence"]
    assert recurrences == [node for node in graph.translated.program.graph.nodes if is_lstm(node)]


def test_what_a_convolution_is_fused_with_belongs_to_its_call(inspector: Inspector) -> None:
    graph = inspector.kernels(stage_named("f0n")).graph
    operators = [tuple(map(operator_name, computed(graph, call))) for call in graph.calls]
    assert ("conv1d.default", "add.Tensor", "mul.Tensor") in operators
