from __future__ import annotations

from engine.compiler.build import weightless_modules
from engine.compiler.export import trace
from engine.compiler.traced_graph import (
    example_shapes,
    number_of,
    numbers_of,
    operator_name,
    shape_of,
)
from engine.stages import stage_named


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
