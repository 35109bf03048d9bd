"""Tests of inspections of healthy modules, and of modules with a fault."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tvm import tirx
from tvm.tirx import ForKind
from tvm_ffi import structural_walk

from engine.compiler.artifacts.manifest import CPU
from engine.compiler.kernels.cpu.conv_choice import LIGHT_WINOGRADS, WINOGRADS
from engine.compiler.kernels.winograd import Winograd
from engine.compiler.traced_graph import numbers_of, operator_name
from engine.errors import Canceled, EngineError
from engine.runtime.pipeline import Step
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named
from engine.system.paths import project_folder
from engine.validator.inspection.graph_picture import CallFacts, computed, picture
from engine.validator.inspection.inspector import KernelInspector
from engine.validator.inspection.kernel_check import IMPRECISE_FROM, WRONG_FROM, compared
from engine.validator.inspection.reference_stage import is_lstm, lstm_reference, role
from engine.validator.inspection.results import (
    CodeEvent,
    GraphEvent,
    GraphNode,
    InspectedEvent,
    InspectedGraph,
    InspectionEvent,
    KernelEvent,
    KernelVerdict,
    NodeKind,
)
from engine.validator.inspection.schedules import amplification, describe_schedule, plain_loops
from tests.engine.compiler.kernels.cpu.running import built
from tests.engine.validator.inspection.conftest import LIGHT_STAGES, inputs_of

HEALTHY_TIMES = 3.0
"""A limit above the starter's kernels, which reach 1.8 times the expected rounding."""


@pytest.fixture(scope="module")
def seen(
    inspector: KernelInspector, runner: CompiledRunner, steps: dict[str, Step]
) -> Callable[[str], list[InspectionEvent]]:
    known: dict[str, list[InspectionEvent]] = {}

    def look(name: str) -> list[InspectionEvent]:
        if name not in known:
            known[name] = []
            inspector.inspect(stage_named(name), runner, inputs_of(steps[name]), known[name].append)
        return known[name]

    return look


@pytest.mark.parametrize("name", [stage.name for stage in LIGHT_STAGES])
def test_every_kernel_of_a_healthy_stage_is_right(seen: Callable[[str], list[InspectionEvent]], name: str) -> None:
    measured = [event.measurement for event in seen(name) if isinstance(event, KernelEvent)]
    assert {one.verdict for one in measured} == {KernelVerdict.RIGHT}
    assert max(one.times_floor or 0 for one in measured) < HEALTHY_TIMES
    assert all(one.seconds > 0 for one in measured)
    assert seen(name)[-1] == InspectedEvent(name, ())


def test_the_graph_comes_before_its_measurements(seen: Callable[[str], list[InspectionEvent]]) -> None:
    first, *rest = seen("text_encoder")
    assert isinstance(first, GraphEvent)
    kernels = [node for node in first.graph.nodes if node.kind is NodeKind.KERNEL]
    assert [event.measurement.node for event in rest if isinstance(event, KernelEvent)] == [one.id for one in kernels]
    codes = {event.code.kernel: event.code.tir for event in rest if isinstance(event, CodeEvent)}
    assert set(codes) == {node.kernel for node in kernels}
    assert "T.parallel" in codes["recurrence"]
    assert all(node.bytes > 0 for node in kernels)


def test_the_outputs_are_those_of_a_run(
    inspector: KernelInspector, runner: CompiledRunner, steps: dict[str, Step]
) -> None:
    stage = stage_named("istft")
    outputs, _ = inspector.inspect(stage, runner, inputs_of(steps["istft"]), lambda _: None)
    (audio,) = runner.run_stage(stage, steps["istft"].inputs).values()
    assert (outputs["audio"] == audio).all()


def test_a_cancel_stops_it(inspector: KernelInspector, runner: CompiledRunner, steps: dict[str, Step]) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        inspector.inspect(stage_named("istft"), runner, inputs_of(steps["istft"]), lambda _: None, cancel)
    assert runner.run_stage(stage_named("istft"), steps["istft"].inputs)  # no longer watched


def test_a_graph_different_from_the_programs_is_reported(
    regimes, inspector: KernelInspector, runner: CompiledRunner, steps: dict[str, Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = KernelInspector(regimes.checkpoint.config, regimes.checkpoint.load_weights(), CPU)
    monkeypatch.setattr(other, "kernels", lambda stage: inspector.kernels(stage_named("text_encoder")))
    with pytest.raises(EngineError, match="differs from the graph"):
        other.watched(stage_named("istft"), runner, steps["istft"].inputs, lambda *_: None)


STAGES = ("duration", "f0n", "text_encoder", "source", "istft")
HEAVY = ("conv1d.default", "conv_transpose1d.default", "attention.default", "adaptive_layer_norm.default")


@pytest.mark.parametrize("name", STAGES)
def test_every_call_computes_a_pytorch_value_or_part_of_an_lstm(inspector: KernelInspector, name: str) -> None:
    graph = inspector.kernels(stage_named(name)).graph
    for call in graph.calls:
        if graph.node_of(call.output) is None:
            assert is_lstm(graph.translated.makers[call.output])
            assert lstm_reference(call.kernel) is not None


@pytest.mark.parametrize("name", STAGES)
def test_every_heavy_operator_is_computed_once(inspector: KernelInspector, name: str) -> None:
    graph = inspector.kernels(stage_named(name)).graph
    done = Counter(node for call in graph.calls for node in computed(graph, call) if operator_name(node) in HEAVY)
    heavy = [node for node in graph.translated.program.graph.nodes if operator_name(node) in HEAVY]
    assert done == Counter(heavy)


@pytest.mark.parametrize("name", STAGES)
def test_every_lstm_has_one_recurrence(inspector: KernelInspector, name: str) -> None:
    graph = inspector.kernels(stage_named(name)).graph
    recurrences = [graph.node_of(call.output) for call in graph.calls if role(call.kernel) == "recurrence"]
    assert recurrences == [node for node in graph.translated.program.graph.nodes if is_lstm(node)]


def test_operations_fused_with_a_convolution_belong_to_its_call(inspector: KernelInspector) -> None:
    graph = inspector.kernels(stage_named("f0n")).graph
    operators = [tuple(map(operator_name, computed(graph, call))) for call in graph.calls]
    assert ("conv1d.default", "add.Tensor", "mul.Tensor") in operators


SHAPE = (1, 4, 50)
EPSILON = float(np.finfo(np.float32).eps)


def exact(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(SHAPE)


def rounded(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32)


def test_values_rounded_once_are_right() -> None:
    checked = compared(rounded(exact()), exact(), rounded(exact()))
    assert checked.verdict is KernelVerdict.RIGHT
    assert checked.times_floor is not None
    assert checked.times_floor <= 1
    assert checked.first_wrong is None


@given(st.integers(0, 3), st.integers(0, 49), st.floats(1e-3, 1e3))
def test_a_single_wrong_value_is_wrong_and_named(channel: int, frame: int, error: float) -> None:
    ours = rounded(exact())
    ours[0, channel, frame] += error
    checked = compared(ours, exact(), rounded(exact()))
    assert checked.verdict is KernelVerdict.WRONG
    assert checked.first_wrong.index == (0, channel, frame)
    assert checked.first_wrong.expected == exact()[0, channel, frame]


def test_excessively_rounded_values_are_imprecise() -> None:
    noise = np.random.default_rng(1).standard_normal(SHAPE) * EPSILON * IMPRECISE_FROM * 3
    assert compared(exact() + noise, exact(), rounded(exact())).verdict is KernelVerdict.IMPRECISE


def test_an_algorithm_that_rounds_more_is_allowed_to() -> None:
    noise = np.random.default_rng(1).standard_normal(SHAPE) * EPSILON * WRONG_FROM
    assert compared(exact() + noise, exact(), rounded(exact()), amplified=300).verdict is KernelVerdict.RIGHT


def test_phases_that_differ_by_a_turn_are_equal() -> None:
    turned = exact()
    turned[:, 2:, ::3] += 2 * np.pi
    assert compared(turned, exact(), exact(), phases=True).verdict is KernelVerdict.RIGHT
    assert compared(turned, exact(), exact()).verdict is KernelVerdict.WRONG


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_non_finite_value_is_wrong_unless_pytorch_also_has_it(value: float) -> None:
    ours = exact()
    ours[0, 1, 7] = value
    checked = compared(ours, exact(), exact())
    assert checked.verdict is KernelVerdict.WRONG
    assert (checked.first_wrong.index, checked.first_wrong.ours) == ((0, 1, 7), None)
    assert checked.finite_percent == 99.5
    assert compared(ours, ours, ours).verdict is KernelVerdict.UNKNOWN


def test_zeros_that_should_be_zeros_are_right() -> None:
    zeros = np.zeros(SHAPE)
    assert compared(zeros, zeros, zeros).verdict is KernelVerdict.RIGHT
    assert compared(zeros + 1e-3, zeros, zeros).verdict is KernelVerdict.WRONG


def float32_error(winograd: Winograd) -> float:
    """Return the rms error of a convolution in float32 by F(m, r), relative to its outputs, on random numbers."""
    matrices = (winograd.output_matrix, winograd.weight_matrix, winograd.input_matrix)
    outputs, weights, inputs = (np.array(matrix, np.float64).astype(np.float32) for matrix in matrices)
    random = np.random.default_rng(0)
    taps = random.standard_normal((2000, winograd.taps), np.float32)
    samples = random.standard_normal((2000, winograd.samples), np.float32)
    found = ((taps @ weights.T) * (samples @ inputs.T)) @ outputs.T
    windows = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float64), winograd.taps, axis=1)
    exact = np.einsum("bot,bt->bo", windows, taps.astype(np.float64))
    return float(np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2)))


@pytest.mark.parametrize("winograd", sorted({*WINOGRADS, *LIGHT_WINOGRADS}, key=str), ids=str)
def test_the_amplification_explains_the_precision_loss_of_winograd(winograd: Winograd) -> None:
    half_ulp = 2.0**-24
    assert 0.1 < float32_error(winograd) / (amplification(winograd) * half_ulp) < 3


def test_plain_loops_compute_the_same(inspector: KernelInspector) -> None:
    kernel = inspector.kernels(stage_named("text_encoder")).graph.scheduled["layer_norm"]
    plain = plain_loops(kernel)
    kinds: list[object] = []
    structural_walk(plain.body, (tirx.For, lambda loop: kinds.append(loop.kind)))
    assert set(kinds) == {ForKind.SERIAL}
    x = np.random.default_rng(0).standard_normal((9, 128), np.float32)
    scale = np.linspace(0.5, 1.5, 128, dtype=np.float32)
    results = [built(function)(x.shape, x, scale, scale) for function in (kernel, plain)]
    np.testing.assert_allclose(*results, rtol=1e-6)


def test_a_schedule_is_described_in_words(inspector: KernelInspector) -> None:
    kernels = inspector.kernels(stage_named("text_encoder"))
    words = {
        call.kernel: describe_schedule(kernels.graph.scheduled[call.kernel], algorithm)
        for call, algorithm in zip(kernels.graph.calls, kernels.algorithms, strict=True)
    }
    assert words["conv1d"].startswith("hand-written; Winograd F(")
    assert words["recurrence"].startswith("hand-written; loops parallel")
    assert any(text.startswith("fused loops") for text in words.values())
    assert describe_schedule(None, None) == "a function outside of the module"


PROJECT = Path(__file__).resolve().parents[4]
WITHOUT_LIBRARIES = """
import sys
import engine.validator.inspection.results
assert not {"torch", "tvm", "tvm_ffi", "PySide6"} & set(sys.modules)
"""


def test_results_need_neither_pytorch_nor_tvm() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_LIBRARIES], cwd=PROJECT, check=True)


@pytest.fixture(scope="module")
def graph(inspector: KernelInspector, steps) -> InspectedGraph:
    stage = stage_named("f0n")
    kernels = inspector.kernels(stage)
    count = len(kernels.graph.calls)
    shapes = [steps["f0n"].inputs[tensor.name].shape for tensor in stage.inputs]
    numbers = numbers_of(kernels.graph.translated.program, shapes)
    facts = [CallFacts((1,), 4)] * count
    return picture(stage, kernels.graph, dict.fromkeys(range(count), "as it is"), facts, numbers)


def kernels_of(graph: InspectedGraph) -> list[GraphNode]:
    return [node for node in graph.nodes if node.kind is NodeKind.KERNEL]


def test_edges_lead_from_earlier_nodes_to_later_ones(graph: InspectedGraph) -> None:
    places = {node.id: place for place, node in enumerate(graph.nodes)}
    assert len(places) == len(graph.nodes)
    assert all(places[edge.source] < places[edge.target] for edge in graph.edges)


def test_nothing_is_left_unconnected(graph: InspectedGraph) -> None:
    sources, targets = {edge.source for edge in graph.edges}, {edge.target for edge in graph.edges}
    for node in graph.nodes:
        weights_alone = node.label == "broadcast_to of lstm"
        assert node.id in targets or node.kind is NodeKind.INPUT or weights_alone
        assert node.id in sources or node.kind is NodeKind.OUTPUT


def test_a_line_of_the_program_made_each_kernel(graph: InspectedGraph) -> None:
    for node in kernels_of(graph):
        line = node.source[0]
        written = (project_folder() / line.file).read_text(encoding="utf-8").splitlines()
        assert written[line.line - 1].strip() == line.text


def test_kernels_belong_to_kokoros_modules(graph: InspectedGraph) -> None:
    paths = {node.module_path for node in kernels_of(graph)}
    assert {"predictor.shared", "predictor.F0.0.conv1", "predictor.N.2.norm2.norm", "predictor.N_proj"} <= paths


def test_operations_are_those_of_the_weights(graph: InspectedGraph, steps) -> None:
    frames = steps["f0n"].inputs["frame_token"].shape[1]
    (node,) = [node for node in kernels_of(graph) if node.module_path == "predictor.F0.0.conv1"]
    assert node.operations == 2 * 128 * 128 * 3 * frames
