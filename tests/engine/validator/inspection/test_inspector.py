"""What an inspection says about healthy modules, and about modules with a fault."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from engine.artifacts.manifest import CPU
from engine.errors import Cancelled, EngineError
from engine.runners.tvm_runner import CompiledRunner
from engine.runtime.pipeline import Step
from engine.stages import stage_named
from engine.validator.inspection.inspector import Inspector
from engine.validator.inspection.results import (
    CodeEvent,
    GraphEvent,
    InspectedEvent,
    InspectionEvent,
    KernelEvent,
    KernelVerdict,
    NodeKind,
)
from tests.engine.validator.inspection.conftest import LIGHT_STAGES, inputs_of

HEALTHY_TIMES = 3.0
"""Kernels of the starter reach 1.8 times what rounding explains."""


@pytest.fixture(scope="module")
def seen(
    inspector: Inspector, runner: CompiledRunner, steps: dict[str, Step]
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


def test_the_graph_comes_first_and_then_what_is_measured_in_it(seen: Callable[[str], list[InspectionEvent]]) -> None:
    first, *rest = seen("text_encoder")
    assert isinstance(first, GraphEvent)
    kernels = [node for node in first.graph.nodes if node.kind is NodeKind.KERNEL]
    assert [event.measurement.node for event in rest if isinstance(event, KernelEvent)] == [one.id for one in kernels]
    codes = {event.code.kernel: event.code.tir for event in rest if isinstance(event, CodeEvent)}
    assert set(codes) == {node.kernel for node in kernels}
    assert "T.parallel" in codes["recurrence"]
    assert all(node.bytes > 0 for node in kernels)


def test_the_outputs_are_those_of_a_run(inspector: Inspector, runner: CompiledRunner, steps: dict[str, Step]) -> None:
    stage = stage_named("istft")
    outputs, _ = inspector.inspect(stage, runner, inputs_of(steps["istft"]), lambda _: None)
    (audio,) = runner.run(stage, steps["istft"].inputs).values()
    assert (outputs["audio"] == audio).all()


def test_a_cancel_stops_it(inspector: Inspector, runner: CompiledRunner, steps: dict[str, Step]) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        inspector.inspect(stage_named("istft"), runner, inputs_of(steps["istft"]), lambda _: None, cancel)
    assert runner.run(stage_named("istft"), steps["istft"].inputs)  # nothing watches any more


def test_another_graph_than_this_programs_is_told(regimes, runner: CompiledRunner, steps: dict[str, Step]) -> None:
    other = Inspector(regimes.checkpoint.config, regimes.checkpoint.load_weights(), CPU)
    graph = other.kernels(stage_named("text_encoder")).graph
    other.kernels(stage_named("istft"))
    other._known["istft"] = other._known["text_encoder"]
    assert graph.calls[0].kernel != "inverse_stft"
    with pytest.raises(EngineError, match="another graph"):
        other.watched(stage_named("istft"), runner, steps["istft"].inputs, lambda *_: None)
