"""Counts the work of a stage in one run, from the sizes that its graphs declare.

Operations are those of the traced graph, bytes and dispatches those of the compiled one. Work done only once, when
weights are loaded, is not counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from torch import fx
from torch.export import ExportedProgram
from tvm import DataType, IRModule, relax, tirx
from tvm.s_tir import SBlockRealize
from tvm.sym import Analyzer

from engine.benchmark.estimate.roofline import Estimate, Family, FamilyWork, StageWork
from engine.benchmark.job import natural_length
from engine.compiler.build import weightless_modules
from engine.compiler.convolution_layers import convolution_layers, workload_of
from engine.compiler.export import trace, translate
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.metal.conv_choice import tile_for
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.winograd_plan import WinogradTile
from engine.compiler.passes import apply, kernel_passes
from engine.compiler.targets import metal_macos
from engine.compiler.traced_graph import Numbers, number_of, numbers_of, operator_name, shape_of
from engine.config import ModelConfig
from engine.errors import CompileError
from engine.stages import DEVICE_STAGES, Stage

_FAMILIES = {"conv": Family.CONVOLUTIONS, "linear": Family.PRODUCTS, "recurrence": Family.RECURRENCES}
"""The kernel families by the prefixes of their names."""
_LSTMS = ("lstm_forward_packed.default", "lstm_forward_packed_bidirectional.default")
_WITHOUT_KERNEL = ("relax.reshape",)
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class RunSizes:
    """The sizes of one run: sequences in the batch, and their lengths by name, equal for all of them."""

    config: ModelConfig
    batch: int
    lengths: Mapping[str, int]

    def shapes(self, stage: Stage) -> list[tuple[int, ...]]:
        """Return the shapes of the stage's inputs."""
        return [tensor.shape(self.config, self.batch, self.lengths) for tensor in stage.inputs]


def count_for_metal(stages: Sequence[Stage], run: RunSizes) -> Iterator[StageWork]:
    """Yield the work of each of these stages on an Apple GPU. Raises `CompileError`."""
    modules = weightless_modules(run.config)
    return (CountedStage(stage, trace(stage, modules[stage.name], run.config)).work(run) for stage in stages)


def estimate_metal(model: str, config: ModelConfig, seconds: float, on_progress: Callable[[str], None]) -> Estimate:
    """Count the Metal modules of a model; `on_progress` receives the name of each counted stage.

    Raises `InvalidRequest`, `CompileError`.
    """
    length = natural_length(seconds, config)
    run = RunSizes(config, 1, {"frames": length.frames, "tokens": length.tokens})
    stages: list[StageWork] = []
    for stage in count_for_metal(DEVICE_STAGES, run):
        on_progress(stage.stage)
        stages.append(stage)
    return Estimate(model, length, tuple(stages))


def needed_flop(stages: Sequence[Stage], runs: Sequence[RunSizes]) -> list[dict[str, float]]:
    """Return the floating-point operations of each stage, by name, in each of these runs of one architecture.

    Only products with weights count, each computed directly. Raises `CompileError`.
    """
    if not runs:
        return []
    modules = weightless_modules(runs[0].config)
    programs = {stage.name: trace(stage, modules[stage.name], runs[0].config) for stage in stages}
    return [
        {stage.name: sum(products(programs[stage.name], run.shapes(stage)).values()) for stage in stages}
        for run in runs
    ]


def products(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> dict[Family, int]:
    """Return the floating-point operations of a traced stage: every weight of a product once per position.

    `shapes` are those of the stage's inputs, in order. A kernel that multiplies with padding, or with zeros between
    values, does more.
    """
    numbers = numbers_of(program, shapes)
    needed: Counter[Family] = Counter()
    for node in program.graph.nodes:
        for family, weight, positions in _products(node):
            needed[family] += 2 * prod(shape_of(weight)) * number_of(positions, numbers)
    return dict(needed)


class CountedStage:
    """A traced stage, translated once to be counted at several lengths. Raises `CompileError`."""

    def __init__(self, stage: Stage, program: ExportedProgram) -> None:
        self._stage = stage
        self._program = program
        target = metal_macos()
        self._graph = apply(translate(stage, program, target), kernel_passes(target), target)
        self._calls = list(_calls(self._graph))

    def work(self, run: RunSizes) -> StageWork:
        """Count the work of one run."""
        shapes = run.shapes(self._stage)
        needed = products(self._program, shapes)
        sizes = _sizes(self._graph["main"], shapes)
        dispatches: Counter[Family] = Counter()
        size: dict[Family, float] = defaultdict(float)
        for call in self._calls:
            family = next((each for start, each in _FAMILIES.items() if call.kernel.startswith(start)), Family.OTHERS)
            dispatches[family] += sum(1 for _ in _outermost(self._graph[call.kernel].body))
            size[family] += sum(_bytes(kind, sizes) for kind in call.buffers)
        executed: dict[Family, float] = {**needed}
        if Family.CONVOLUTIONS in needed:
            executed[Family.CONVOLUTIONS] -= run.batch * _saved_by_winograd(self._program, shapes)
        core_bytes = {Family.RECURRENCES: _loaded_step_by_step(self._program, numbers_of(self._program, shapes))}
        families = (
            FamilyWork(
                family,
                count,
                needed.get(family, 0.0),
                executed.get(family, 0.0),
                size[family],
                core_bytes.get(family, 0.0),
            )
            for family, count in dispatches.items()
        )
        return StageWork(self._stage.name, tuple(families))


@dataclass(frozen=True)
class _Call:
    """A call of a TIR function; `buffers` are the types of its inputs and outputs."""

    kernel: str
    buffers: tuple[Any, ...]


def _products(node: fx.Node) -> list[tuple[Family, Any, Any]]:
    """Return a node's products with weights: family, weight and number of positions; empty for other nodes."""
    arguments: tuple[Any, ...] = node.args
    match operator_name(node):
        case "conv1d.default":
            batch, _, outputs = shape_of(node)
            return [(Family.CONVOLUTIONS, arguments[1], batch * outputs)]
        case "conv_transpose1d.default":
            batch, _, inputs = shape_of(arguments[0])
            return [(Family.CONVOLUTIONS, arguments[1], batch * inputs)]
        case "linear.default":
            return [(Family.PRODUCTS, arguments[1], prod(shape_of(node)[:-1]))]
        case name if name in _LSTMS:
            batch, time, _ = shape_of(node)
            at_once = [(Family.PRODUCTS, weight, batch * time) for weight in arguments[2::3]]
            return [*at_once, *((Family.RECURRENCES, weight, batch * time) for weight in arguments[3::3])]
    return []


def _loaded_step_by_step(program: ExportedProgram, numbers: Numbers) -> float:
    """Return the bytes of weights that the core of one sequence and direction reloads at every step of the LSTMs."""
    nodes = [node for node in program.graph.nodes if operator_name(node) in _LSTMS]
    counts = (prod(shape_of(node.args[3])) * number_of(shape_of(node)[1], numbers) for node in nodes)
    return _FLOAT_BYTES * float(sum(counts))


def _saved_by_winograd(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> float:
    """Return the operations per sequence that Winograd's algorithm saves in the convolutions."""
    layers = convolution_layers(program, shapes)
    return sum(count * layer.flop * (1 - _share_executed(workload_of(layer))) for layer, count in layers.items())


def _share_executed(workload: ConvWorkload) -> float:
    tile = tile_for(workload, Threadgroup())
    return tile.points / (tile.winograd.outputs * tile.winograd.taps) if isinstance(tile, WinogradTile) else 1.0


def _calls(graph: IRModule) -> Iterator[_Call]:
    for block in graph["main"].body.blocks:
        for binding in block.bindings:
            value = binding.value
            if not isinstance(value, relax.Call) or value.op.name in _WITHOUT_KERNEL:
                continue
            if value.op.name != "relax.call_tir":
                raise CompileError(f"A graph with {value.op.name} can’t be counted.")
            outputs = list(value.ty.fields) if hasattr(value.ty, "fields") else [value.ty]
            kinds = (*(given.ty for given in value.args[1]), *outputs)
            yield _Call(value.args[0].name_hint, tuple(kind for kind in kinds if hasattr(kind, "shape")))


def _sizes(main: relax.Function, shapes: Sequence[Sequence[int]]) -> Analyzer:
    """Return an analyzer that simplifies the graph's extents to numbers, given the shapes of the stage's inputs."""
    sizes = Analyzer()
    for parameter, shape in zip(main.params, shapes, strict=False):  # the weights follow
        for extent, number in zip(parameter.ty.shape.values, shape, strict=True):
            if isinstance(extent, tirx.Var):
                sizes.bind(extent, tirx.IntImm(extent.ty.dtype, number), allow_override=True)
    return sizes


def _bytes(kind: Any, sizes: Analyzer) -> float:
    extents = [int(sizes.simplify(extent)) for extent in kind.shape.values]
    return float(prod(extents) * DataType(str(kind.dtype)).itemsize)


def _outermost(statement: Any) -> Iterator[Any]:
    """Yield the outermost loops over threads: TVM creates a kernel from each."""
    if isinstance(statement, tirx.For) and statement.thread_binding is not None:
        yield statement
    else:
        for part in _parts(statement):
            yield from _outermost(part)


def _parts(statement: Any) -> Iterator[Any]:
    if isinstance(statement, tirx.SeqStmt):
        yield from statement.seq
    elif isinstance(statement, SBlockRealize):
        yield statement.block.body
    elif isinstance(statement, tirx.IfThenElse):
        yield from (case for case in (statement.then_case, statement.else_case) if case is not None)
    elif hasattr(statement, "body"):
        yield statement.body
