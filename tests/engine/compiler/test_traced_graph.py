from __future__ import annotations

import torch

from engine.compiler.build import weightless_modules
from engine.compiler.export import trace
from engine.compiler.traced_graph import (
    example_shapes,
    high_precision_nodes,
    number_of,
    numbers_of,
    operator_name,
    shape_of,
)
from engine.stages import TOKENS, Place, Size, Stage, Tensor, stage_named

X = Tensor("x", (TOKENS, Size("hidden_dim")))


class Two(torch.nn.Module):
    """Two outputs that share a sine, and one that no stage declares."""

    def forward(self, x):
        shared = torch.sin(x)
        return torch.exp(shared), torch.tanh(shared), torch.cos(x)


def high_precision_operators(stage, program):
    names = high_precision_nodes(stage, program)
    return {operator_name(node) for node in program.graph.nodes if node.name in names} - {""}


def test_only_what_a_high_precision_output_is_computed_from_is_high_precision(tiny_config):
    outputs = (Tensor("y", X.axes, high_precision=True), Tensor("z", X.axes))
    stage = Stage("probe", "Probe", Place.DEVICE, (X,), outputs)
    assert high_precision_operators(stage, trace(stage, Two(), tiny_config)) == {"sin.default", "exp.default"}


def test_without_a_high_precision_output_nothing_is(tiny_config):
    stage = Stage("probe", "Probe", Place.DEVICE, (X,), (X, X))
    assert not high_precision_nodes(stage, trace(stage, Two(), tiny_config))


def test_probes_do_not_change_what_is_high_precision(tiny_config):
    stage = stage_named("duration")
    plain, probed = (
        trace(stage, weightless_modules(tiny_config, is_probed)[stage.name], tiny_config) for is_probed in (False, True)
    )
    assert high_precision_operators(stage, plain) == high_precision_operators(stage, probed)


def test_the_last_lstm_of_the_durations_is_not_high_precision(tiny_config):
    stage = stage_named("duration")
    program = trace(stage, weightless_modules(tiny_config)[stage.name], tiny_config)
    lstms = [node for node in program.graph.nodes if operator_name(node).startswith("lstm")]
    *others, last = [node.name in high_precision_nodes(stage, program) for node in lstms]
    assert all(others)
    assert not last


def test_what_is_no_node_has_no_operator():
    assert operator_name(None) == operator_name(3) == ""


def test_what_a_stage_computes_has_the_lengths_of_the_run(tiny_config):
    stage = stage_named("f0n")
    program = trace(stage, weightless_modules(tiny_config)[stage.name], tiny_config)
    shapes = [tensor.shape(tiny_config, 3, {"tokens": 7, "frames": 20}) for tensor in stage.inputs]
    assert [len(shape) for shape in example_shapes(program)] == [len(shape) for shape in shapes]
    numbers = numbers_of(program, shapes)
    *_, output = program.graph.nodes
    f0, _ = output.args[0]
    assert [number_of(extent, numbers) for extent in shape_of(f0)] == [3, 20, 2]
