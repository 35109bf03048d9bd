"""Runs a compiled stage with an instrument and names the wrong kernels, each judged on its own inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from tvm.target import Target

from engine.compiler.artifacts.manifest import Variant
from engine.compiler.build import precision_of, weightless_modules
from engine.compiler.kernel_set import KernelSet
from engine.compiler.target_kernels import kernels_for
from engine.compiler.targets import target_of
from engine.compiler.traced_graph import numbers_of
from engine.config import ModelConfig
from engine.errors import EngineError, RecoveryAction
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.runtime.runners.tvm_runner import CompiledRunner, SeenCall
from engine.speech import Array
from engine.stages import Stage
from engine.system.waiting import raise_if_set
from engine.validator.faults.fault import Fault
from engine.validator.faults.planting import with_fault
from engine.validator.inspection.graph_picture import CallFacts, call_id, computed, picture
from engine.validator.inspection.kernel_calls import CompiledGraph, compiled_graph
from engine.validator.inspection.kernel_check import CheckedCall, KernelCheck
from engine.validator.inspection.results import (
    CodeEvent,
    GraphEvent,
    GraphNode,
    InspectedEvent,
    InspectedGraph,
    InspectionEvent,
    KernelCode,
    KernelEvent,
    KernelFinding,
    KernelMeasurement,
    KernelVerdict,
    NodeKind,
    WrongValue,
)
from engine.validator.inspection.schedules import Algorithm, algorithm_of, amplification, describe_schedule
from engine.validator.inspection.translation import translated

TIMED_RUNS = 3
"""The number of timed runs; the shortest time of each call counts."""
Observe = Callable[[InspectionEvent], None]
OnCall = Callable[[int, SeenCall], None]


@dataclass(frozen=True)
class StageInputs:
    """The inputs of a stage by name, and the shapes of their parts without padding, in order."""

    arrays: Mapping[str, Array]
    valid_shapes: Sequence[Sequence[int]]

    def ordered(self, stage: Stage) -> list[Array]:
        """Return the arrays in the order in which the stage declares them."""
        return [self.arrays[tensor.name] for tensor in stage.inputs]


@dataclass(frozen=True)
class StageKernels:
    """A stage's graph, with the algorithm of each call that is a convolution."""

    graph: CompiledGraph
    algorithms: Sequence[Algorithm | None]

    @property
    def names(self) -> frozenset[str]:
        """The names of the kernels it calls."""
        return frozenset(call.kernel for call in self.graph.calls)


class KernelInspector:
    """Inspects the compiled stages of one model; a stage's graph is built when first needed.

    `weights` are arrays by state-dict key, as the checkpoint has them; `variant` is that of the modules, one of which
    contains `fault`, if given.
    """

    def __init__(
        self, config: ModelConfig, weights: Mapping[str, Array], variant: Variant, fault: Fault | None = None
    ) -> None:
        self._config = config
        self._weights = weights
        self._variant = variant
        self._fault = fault
        self.target = target_of(variant)
        self._known: dict[str, StageKernels] = {}

    def kernels(self, stage: Stage) -> StageKernels:
        """Return the graph of a stage's module; raises `CompileError`."""
        if stage.name not in self._known:
            self._known[stage.name] = self._made(stage)
        return self._known[stage.name]

    def inspect(
        self,
        stage: Stage,
        runner: CompiledRunner,
        inputs: StageInputs,
        observe: Observe,
        cancel: threading.Event | None = None,
    ) -> tuple[dict[str, Array], tuple[KernelFinding, ...]]:
        """Measure and check every kernel call of one run of a stage; return its outputs and the incorrect kernels.

        `observe` gets the graph, an event for each call, the code of each kernel, and the findings. Raises
        `CompileError`, `EngineError` if the module's graph differs, and `Canceled` once `cancel` is set.
        """
        kernels = self.kernels(stage)
        watched = partial(self.watched, stage, runner, inputs.arrays, cancel=cancel)
        seconds, facts = _timed(len(kernels.graph.calls), watched)
        graph = self._picture(stage, kernels, inputs, facts)
        observe(GraphEvent(graph))
        nodes = {node.id: node for node in graph.nodes if node.kind is NodeKind.KERNEL}
        grader = _KernelGrader(
            stage.name, kernels.graph, self.check(stage, inputs), seconds, list(nodes.values()), observe
        )
        outputs = watched(grader.handle_call)
        for name in dict.fromkeys(call.kernel for call in kernels.graph.calls):
            if name in kernels.graph.scheduled:
                observe(CodeEvent(KernelCode(stage.name, name, kernels.graph.scheduled[name].script())))
        observe(InspectedEvent(stage.name, tuple(grader.findings)))
        return outputs, tuple(grader.findings)

    def watched(
        self,
        stage: Stage,
        runner: CompiledRunner,
        arrays: Mapping[str, Array],
        on_call: OnCall,
        cancel: threading.Event | None = None,
    ) -> dict[str, Array]:
        """Return the outputs of a run of the stage; `on_call` gets its calls with their numbers, in order."""
        kernels = self.kernels(stage)
        counter = _Counter(stage, kernels.graph, on_call, cancel)
        outputs = runner.run_watched(stage, arrays, kernels.names, counter.handle_call)
        counter.end()
        return outputs

    def check(self, stage: Stage, inputs: StageInputs) -> KernelCheck:
        """Return a check that compares calls of a run of a stage on these inputs with PyTorch."""
        kernels = self.kernels(stage)
        amplified = [amplification(one.winograd if one else None) for one in kernels.algorithms]
        return KernelCheck(kernels.graph, self._weights, inputs.ordered(stage), inputs.valid_shapes, amplified)

    def _made(self, stage: Stage) -> StageKernels:
        variant, target = self._variant, self.target
        module = weightless_modules(self._config, variant.probed, LstmSemantics(variant.lstm_semantics))[stage.name]
        precision = precision_of(stage, variant)
        whole = translated(stage, module, self._config, target, LstmMethod(variant.lstm_method), precision)
        if self._fault is not None and self._fault.stage == stage.name:
            whole = replace(whole, module=with_fault(whole.module, self._fault)[0])
        graph, kernel_set = compiled_graph(whole, target), kernels_for(target, precision)
        return StageKernels(graph, [_algorithm(graph, index, kernel_set, target) for index in range(len(graph.calls))])

    def _picture(
        self, stage: Stage, kernels: StageKernels, inputs: StageInputs, facts: Sequence[CallFacts]
    ) -> InspectedGraph:
        graph = kernels.graph
        schedules = {
            index: describe_schedule(graph.scheduled.get(call.kernel), kernels.algorithms[index])
            for index, call in enumerate(graph.calls)
        }
        shapes = [array.shape for array in inputs.ordered(stage)]
        return picture(stage, graph, schedules, facts, numbers_of(graph.translated.program, shapes))


class _Counter:
    """Numbers the calls of a run, and raises `EngineError` if they are not those of the graph."""

    def __init__(self, stage: Stage, graph: CompiledGraph, on_call: OnCall, cancel: threading.Event | None) -> None:
        self._stage = stage
        self._graph = graph
        self._on_call = on_call
        self._cancel = cancel
        self._done = 0

    def handle_call(self, seen: SeenCall) -> None:
        """Handle the next call."""
        raise_if_set(self._cancel, "Inspection stopped.")
        calls = self._graph.calls
        if self._done == len(calls) or calls[self._done].kernel != seen.kernel:
            raise self._other(f"it calls {seen.kernel}")
        self._on_call(self._done, seen)
        self._done += 1

    def end(self) -> None:
        """Handle the end of the run."""
        if self._done < len(self._graph.calls):
            raise self._other("it ends")

    def _other(self, what: str) -> EngineError:
        calls = self._graph.calls
        expected = f"calls {calls[self._done].kernel}" if self._done < len(calls) else "ends"
        return EngineError(
            f"The module of stage {self._stage.name} differs from the graph that this program builds: after "
            f"{self._done} kernels {what} where the program’s {expected}.",
            "Compile it again.",
            RecoveryAction.COMPILE_AGAIN,
        )


class _KernelGrader:
    """Turns the calls of a run into measurements and findings."""

    def __init__(
        self,
        stage: str,
        graph: CompiledGraph,
        check: KernelCheck,
        seconds: Sequence[float],
        nodes: Sequence[GraphNode],
        observe: Observe,
    ) -> None:
        self.findings: list[KernelFinding] = []
        self._stage = stage
        self._graph = graph
        self._check = check
        self._seconds = seconds
        self._nodes = nodes
        self._observe = observe

    def handle_call(self, index: int, seen: SeenCall) -> None:
        """Handle one call."""
        checked = self._check.check(index, seen.arguments)
        node = call_id(index, self._graph.calls[index])
        measurement = _measurement(self._stage, node, self._seconds[index], checked)
        self._observe(KernelEvent(measurement))
        if measurement.verdict in (KernelVerdict.WRONG, KernelVerdict.IMPRECISE):
            words = describe_finding(self._nodes[index], measurement)
            self.findings.append(KernelFinding(self._stage, node, seen.kernel, words))


def _measurement(stage: str, node: str, seconds: float, checked: CheckedCall) -> KernelMeasurement:
    return KernelMeasurement(
        stage=stage,
        node=node,
        verdict=checked.verdict,
        seconds=seconds,
        relative_l2=checked.relative_l2,
        max_abs=checked.max_abs,
        floor=checked.floor,
        times_floor=checked.times_floor,
        finite_percent=checked.finite_percent,
        first_wrong=checked.first_wrong,
    )


def _timed(calls: int, watched: Callable[[OnCall], object]) -> tuple[list[float], list[CallFacts]]:
    """Return the least seconds of each call in a few runs, and its facts from the first run."""
    seconds = [float("inf")] * calls
    facts: list[CallFacts] = []

    def handle_call(index: int, seen: SeenCall) -> None:
        seconds[index] = min(seconds[index], seen.seconds)
        if index == len(facts):
            arrays = [one for one in seen.arguments if isinstance(one, np.ndarray)]
            facts.append(CallFacts(arrays[-1].shape, sum(array.nbytes for array in arrays)))

    for _ in range(TIMED_RUNS):
        watched(handle_call)
    return seconds, facts


def _algorithm(graph: CompiledGraph, index: int, kernel_set: KernelSet, target: Target) -> Algorithm | None:
    algorithms = (algorithm_of(node, kernel_set, target) for node in computed(graph, graph.calls[index]))
    return next((one for one in algorithms if one is not None), None)


def describe_finding(node: GraphNode, measured: KernelMeasurement) -> str:
    """Name the incorrect kernel and its source line, and say how far off it is."""
    return f"{node.kernel} ({_what(node)}) {_how(measured)}{_first(measured.first_wrong)}."


def _what(node: GraphNode) -> str:
    place = f" in {node.module_path}" if node.module_path else ""
    line = f", {node.source[0].file}:{node.source[0].line}" if node.source else ""
    return f"{node.label}{place}{line}"


def _how(measured: KernelMeasurement) -> str:
    if measured.times_floor is None:
        return f"gives values that aren’t finite ({100 - measured.finite_percent:.3g} %) from finite inputs"
    what = "is itself wrong" if measured.verdict is KernelVerdict.WRONG else "rounds too much"
    relative, times = measured.relative_l2, measured.times_floor
    return f"{what}: on its own inputs, its relative error is {relative:.2g}, {times:.3g} times the expected rounding"


def _first(wrong: WrongValue | None) -> str:
    if wrong is None:
        return ""
    ours, expected = ("not finite" if one is None else f"{one:.6g}" for one in (wrong.ours, wrong.expected))
    return f"; the first wrong value, at {list(wrong.index)}, is {ours} instead of {expected}"
