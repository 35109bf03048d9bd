"""Every dispatch of a model's stages at given lengths, counted in the graphs and kernels that are compiled.

What runs only once, when weights are loaded, is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
import tvm
from torch.export import ExportedProgram
from tvm import relax

from engine.compiler.build import weightless_modules
from engine.compiler.export import parameters_of, trace, translate
from engine.compiler.passes import apply, kernel_passes
from engine.compiler.targets import metal_macos
from engine.config import ModelConfig
from engine.errors import CompileError
from engine.estimate.kernel_counter import Counted, bytes_of, count
from engine.estimate.thread_values import value_of
from engine.estimate.useful_work import useful_flop
from engine.estimate.work import KernelWork, StageWork
from engine.stages import Stage

_MAIN, _TRANSFORM = "main", "main_transform_params"
_WITHOUT_KERNEL = ("relax.reshape",)


@dataclass(frozen=True)
class Run:
    """The sizes of one run: sequences in the batch, and their lengths by name, equal for all of them."""

    config: ModelConfig
    batch: int
    lengths: Mapping[str, int]

    def shapes(self, stage: Stage) -> list[tuple[int, ...]]:
        """Shapes of the stage's inputs."""
        return [tensor.shape(self.config, self.batch, self.lengths) for tensor in stage.inputs]


@dataclass(frozen=True)
class _Call:
    """A call of a function of loops, and the names of the parameters it depends on; `outputs` are types."""

    name: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    weights: frozenset[str]


def count_for_metal(stages: Sequence[Stage], run: Run) -> Iterator[StageWork]:
    """The work of each of these stages on an Apple GPU, one after another; raises `CompileError`."""
    modules = weightless_modules(run.config)
    return (count_stage(stage, modules[stage.name], run, metal_macos()) for stage in stages)


def needed_flop(stages: Sequence[Stage], runs: Sequence[Run]) -> list[dict[str, float]]:
    """Floating-point operations that each stage needs in each of these runs of one architecture, by the stage's name.

    Those of products with weights, each computed directly. Raises `CompileError`.
    """
    if not runs:
        return []
    modules = weightless_modules(runs[0].config)
    programs = {stage.name: trace(stage, modules[stage.name], runs[0].config) for stage in stages}
    return [
        {stage.name: sum(useful_flop(programs[stage.name], run.shapes(stage)).values()) for stage in stages}
        for run in runs
    ]


def count_stage(stage: Stage, module: torch.nn.Module, run: Run, target: tvm.target.Target) -> StageWork:
    """All dispatches of one run of the stage, given as a torch module.

    Raises `CompileError` when something in it has no known cost.
    """
    return CountedStage(stage, trace(stage, module, run.config), target).work(run)


class CountedStage:
    """A stage, given as traced, translated once to be counted at several lengths; raises `CompileError`."""

    def __init__(self, stage: Stage, program: ExportedProgram, target: tvm.target.Target) -> None:
        self._stage = stage
        self._program = program
        self._graph = apply(translate(stage, program, target), kernel_passes(target), target)
        self._calls = list(_calls(self._graph, [parameter.name for parameter in parameters_of(self._program)]))

    def work(self, run: Run) -> StageWork:
        """All dispatches of one run; raises `CompileError` when something in it has no known cost."""
        useful = useful_flop(self._program, run.shapes(self._stage))
        users = Counter(weight for call in self._calls for weight in call.weights)
        counter = _Counter(self._graph, _symbols(self._graph[_MAIN], run.shapes(self._stage)))
        kernels = [
            kernel
            for call in self._calls
            for kernel in counter.kernels(call, sum(useful.get(weight, 0.0) / users[weight] for weight in call.weights))
        ]
        return StageWork(self._stage.name, tuple(kernels), sum(useful.values()))


class _Counter:
    """Counts the calls of one graph; a function that is called twice with equal sizes is counted once."""

    def __init__(self, graph: tvm.IRModule, symbols: Mapping[Any, int]) -> None:
        self._graph = graph
        self._symbols = symbols
        self._counted: dict[Any, list[Counted]] = {}

    def kernels(self, call: _Call, useful: float) -> Iterator[KernelWork]:
        """The dispatches of one call, which share its useful operations equally."""
        function = self._graph[call.name]
        sizes: dict[Any, int] = {}
        total_bytes = 0
        for parameter, given in zip(function.params, (*call.inputs, *call.outputs), strict=True):
            kind = getattr(given, "ty", given)
            if hasattr(kind, "shape"):
                sizes |= _bound(parameter.ty.shape, self._shape(kind))
                total_bytes += prod(self._shape(kind)) * bytes_of(kind.dtype)
            else:
                sizes[parameter] = value_of(given, self._symbols)
        parts = self._count(call.name, sizes)
        for part in parts:
            yield KernelWork(
                name=call.name,
                output=self._shape(call.outputs[0]),
                groups=part.groups,
                threads=part.threads,
                work=part.work,
                compulsory_bytes=_compulsory_bytes(part, total_bytes),
                useful_flop=useful / len(parts) or None,
            )

    def _shape(self, kind: Any) -> tuple[int, ...]:
        return tuple(int(value_of(extent, self._symbols)) for extent in kind.shape.values)

    def _count(self, name: str, sizes: Mapping[Any, int]) -> list[Counted]:
        key = (name, *sizes.values())
        if key not in self._counted:
            self._counted[key] = count(name, self._graph[name], sizes)
        return self._counted[key]


def _compulsory_bytes(counted: Counted, size: float) -> float:
    """The size of all buffers, or what is read and written where that is less: a few rows of a table."""
    return min(size, counted.work.device_bytes_loaded + counted.work.device_bytes_stored)


def _symbols(main: relax.Function, shapes: Sequence[Sequence[int]]) -> dict[Any, int]:
    """The symbolic extents of the graph, read off the stage's inputs."""
    found: dict[Any, int] = {}
    for parameter, shape in zip(main.params, shapes, strict=False):  # weights follow
        found |= _bound(parameter.ty.shape.values, shape)
    return found


def _bound(symbolic: Sequence[Any], numbers: Sequence[int]) -> dict[Any, int]:
    pairs = zip(symbolic, numbers, strict=True)
    return {extent: number for extent, number in pairs if isinstance(extent, tvm.tirx.Var)}


def _calls(graph: tvm.IRModule, names: Sequence[str]) -> Iterator[_Call]:
    main = graph[_MAIN]
    weights = _packed_weights(graph, names) if names else []
    made_of = dict(zip(main.params[len(main.params) - len(weights) :], weights, strict=True))
    for binding in _bindings(main):
        value = binding.value
        if not isinstance(value, relax.Call) or value.op.name in _WITHOUT_KERNEL:
            continue
        if value.op.name != "relax.call_tir":
            raise CompileError(f"A graph with {value.op.name} cannot be counted.")
        inputs = tuple(value.args[1])
        used = [made_of[given] for given in inputs if isinstance(given, relax.Var) and given in made_of]
        yield _Call(value.args[0].name_hint, inputs, tuple(_fields(value.ty)), frozenset().union(*used))


def _packed_weights(graph: tvm.IRModule, names: Sequence[str]) -> list[frozenset[str]]:
    """Which parameters each weight that the graph takes is made of."""
    made: dict[Any, frozenset[str]] = {}
    result: list[frozenset[str]] = []
    for binding in _bindings(graph[_TRANSFORM]):
        made[binding.var] = frozenset().union(*_sources(binding.value, names, made))
        if isinstance(binding.value, relax.Tuple):
            result = [made[field] for field in binding.value.fields]
    return result


def _sources(value: Any, names: Sequence[str], made: Mapping[Any, frozenset[str]]) -> Iterator[frozenset[str]]:
    match value:
        case relax.TupleGetItem():
            yield made.get(value.tuple_value, frozenset([names[value.index]]))
        case relax.Var():
            yield made[value]
        case relax.Call():
            for argument in value.args:
                yield from _sources(argument, names, made)
        case relax.Tuple():
            for part in value.fields:
                yield from _sources(part, names, made)


def _bindings(function: relax.Function) -> Iterator[Any]:
    return (binding for block in function.body.blocks for binding in block.bindings)


def _fields(kind: Any) -> list[Any]:
    return list(kind.fields) if hasattr(kind, "fields") else [kind]
