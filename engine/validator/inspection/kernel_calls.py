"""The kernel calls in a stage's final graph, and the torch nodes whose values they read and write.

Fusion renames variables. They are found again by their computation, as in value numbering: equal functions of equal
arguments have equal results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import tvm
from torch import fx
from tvm import relax
from tvm.target import Target
from tvm.tirx import PrimFunc

from engine.compiler.passes import apply, graph_passes, kernel_passes, weight_passes
from engine.errors import CompileError
from engine.validator.inspection.translation import TranslatedStage

_MAIN = "main"
_CALL_KERNEL, _CALL_OUTSIDE = "relax.call_tir", "relax.call_dps_packed"
_RESHAPE = "relax.reshape"
_FUSION = "FuseOps"


@dataclass(frozen=True)
class KernelCall:
    """One call of a kernel, in the order of execution.

    `inputs` has an entry per argument: the variable before fusion, None for a number. `output` is the variable it
    computes. `parts` are the variables before fusion that it computes inside, its output last.
    """

    kernel: str
    inputs: tuple[str | None, ...]
    output: str
    parts: tuple[str, ...]
    shape: tuple[Any, ...]
    dtype: str


@dataclass(frozen=True)
class CompiledGraph:
    """A stage's final graph.

    `views` maps each view, such as a reshape, to the variable that it views. `outputs` are the variables of the stage's
    outputs. `scheduled` and `plain` hold the kernels by name, with and without the schedule that fusion's loops get;
    hand-written ones have theirs in both.
    """

    translated: TranslatedStage
    calls: tuple[KernelCall, ...]
    views: Mapping[str, str]
    outputs: tuple[str, ...]
    scheduled: Mapping[str, PrimFunc]
    plain: Mapping[str, PrimFunc]

    def node_of(self, variable: str) -> fx.Node | None:
        """Return the torch node whose value a variable holds, in any shape; None if torch has no such value."""
        results = self.translated.results
        for name in (variable, *self._same(variable)):
            if name in results:
                return results[name]
        return None

    @cached_property
    def fed_by_inputs(self) -> frozenset[fx.Node]:
        """The torch nodes that depend on the stage's inputs; the others depend on weights alone."""
        program = self.translated.program
        fed = {node for node in program.graph.nodes if node.name in program.graph_signature.user_inputs}
        for node in program.graph.nodes:
            if not fed.isdisjoint(node.all_input_nodes):
                fed.add(node)
        return frozenset(fed)

    def origin(self, variable: str) -> str:
        """Return the variable with the same content that is not itself a view."""
        while variable in self.views:
            variable = self.views[variable]
        return variable

    def _same(self, variable: str) -> Iterator[str]:
        origin = self.origin(variable)
        yield origin
        yield from (view for view in self.views if self.origin(view) == origin)


def compiled_graph(translated: TranslatedStage, target: Target) -> CompiledGraph:
    """Return the final graph of a stage, as its module runs it; raises `CompileError`."""
    before, after = _split(graph_passes())
    schedules = kernel_passes(target)[len(weight_passes()) + len(graph_passes()) :]
    unfused = apply(translated.module, (*weight_passes(), *before), target)
    fused = apply(unfused, after[:1], target)
    loops = apply(fused, after[1:], target)
    reader = _Reader(unfused, fused)
    reader.read()
    return CompiledGraph(
        translated=translated,
        calls=tuple(reader.calls),
        views=reader.views,
        outputs=reader.outputs,
        scheduled=_kernels(apply(loops, schedules, target)),
        plain=_kernels(loops),
    )


def _split(passes: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the passes before fusion, and those from it on."""
    at = next(index for index, step in enumerate(passes) if step.info.name == _FUSION)
    return passes[:at], passes[at:]


def _kernels(module: tvm.IRModule) -> dict[str, PrimFunc]:
    return {name.name_hint: one for name, one in module.functions.items() if isinstance(one, PrimFunc)}


def inputs_of(graph: CompiledGraph) -> list[fx.Node]:
    """Return the nodes of a stage's inputs, in order."""
    program = graph.translated.program
    given = program.graph_signature.user_inputs
    return [node for node in program.graph.nodes if node.op == "placeholder" and node.name in given]


def bindings_of(function: relax.Function) -> Iterator[Any]:
    """Return the bindings of a function, in order."""
    return (binding for block in function.body.blocks for binding in block.bindings)


class _Reader:
    """Walks the fused graph, mapping each of its variables to the equal variable of the unfused one."""

    def __init__(self, unfused: tvm.IRModule, fused: tvm.IRModule) -> None:
        self.calls: list[KernelCall] = []
        self.views: dict[str, str] = {}
        self.outputs: tuple[str, ...] = ()
        self._fused = fused
        self._known: defaultdict[Any, list[str]] = defaultdict(list)
        main = unfused[_MAIN]
        names = {parameter: parameter.name for parameter in main.params}
        for binding in bindings_of(main):
            names[binding.var] = binding.var.name
            self._known[_key(binding.value, names)].append(binding.var.name)

    def read(self) -> None:
        """Read the whole graph."""
        main = self._fused[_MAIN]
        names = {parameter: parameter.name for parameter in main.params}
        for binding in bindings_of(main):
            value = binding.value
            if isinstance(value, relax.Tuple):
                self.outputs = tuple(names[field] for field in value.fields)
            elif isinstance(value.op, tvm.ir.GlobalVar):
                names[binding.var] = self._fused_call(value, names)
            elif value.op.name == _RESHAPE:
                names[binding.var] = self._found(value, names)
                self.views[names[binding.var]] = names[value.args[0]]
            else:
                names[binding.var] = self._call(value, names)

    def _call(self, value: Any, names: Mapping[Any, str]) -> str:
        if value.op.name not in (_CALL_KERNEL, _CALL_OUTSIDE):
            raise CompileError(f"A graph with {value.op.name} can’t be inspected.")
        output = self._found(value, names)
        self._add(_callee(value), value.args[1], names, (output,), value.ty)
        return output

    def _fused_call(self, value: Any, names: Mapping[Any, str]) -> str:
        """Return the variable that a fused function computes; its parts are found one after the other."""
        function = self._fused[value.op]
        inside = {parameter: names.get(given, "") for parameter, given in zip(function.params, value.args, strict=True)}
        parts = []
        for binding in bindings_of(function):
            inside[binding.var] = self._found(binding.value, inside)
            parts.append(inside[binding.var])
        tensors = [given for given in value.args if not isinstance(given, relax.ShapeExpr)]
        self._add(value.op.name_hint, tensors, names, tuple(parts), value.ty)
        return inside[function.body.body]

    def _add(
        self, kernel: str, arguments: Sequence[Any], names: Mapping[Any, str], parts: tuple[str, ...], kind: Any
    ) -> None:
        inputs = tuple(names.get(argument) for argument in arguments)
        self.calls.append(KernelCall(kernel, inputs, parts[-1], parts, tuple(kind.shape.values), str(kind.dtype)))

    def _found(self, value: Any, names: Mapping[Any, str]) -> str:
        """Return the variable of the unfused graph with this value; equal values take turns, and the last one stays."""
        found = self._known[_key(value, names)]
        if not found:
            raise CompileError(f"The value {value} isn’t in the graph before fusion.")
        return found.pop(0) if len(found) > 1 else found[0]


def _callee(value: Any) -> str:
    callee = value.args[0]
    return str(getattr(callee, "name_hint", None) or callee.global_symbol)


def _key(value: Any, names: Mapping[Any, str]) -> Any:
    """Return the computation of a value as a key: its function and the names of its arguments."""
    if isinstance(value, relax.Tuple):
        return tuple(names.get(field, str(field)) for field in value.fields)
    if value.op.name in (_CALL_KERNEL, _CALL_OUTSIDE):
        return _callee(value), tuple(names.get(argument, str(argument)) for argument in value.args[1])
    return value.op.name, tuple(names.get(argument, str(argument)) for argument in value.args), str(value.ty)
