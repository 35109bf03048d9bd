"""A stage as Relax, with the torch node that each variable of it came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import tvm
from torch import fx
from torch.export import ExportedProgram
from tvm import relax
from tvm.relax.frontend import detach_params
from tvm.relax.frontend.torch import from_exported_program
from tvm.target import Target

from engine.compiler.converters import Converter, converters_for
from engine.compiler.export import trace
from engine.compiler.traced_graph import operator_name
from engine.config import ModelConfig
from engine.kernels.precision import Precision
from engine.ops.packed_lstm import LstmMethod
from engine.stages import Stage
from engine.validator.inspection.source_lines import lines_kept

_MAIN = "main"


@dataclass(frozen=True)
class Translated:
    """A traced stage and its Relax module, before any pass.

    Both dictionaries go by the names of Relax variables, which the passes before fusion keep: `results` holds the torch
    node whose value a variable is, `makers` the torch node that was being translated when a variable was made.
    """

    program: ExportedProgram
    module: tvm.IRModule
    results: Mapping[str, fx.Node]
    makers: Mapping[str, fx.Node]


def translated(
    stage: Stage, module: torch.nn.Module, config: ModelConfig, target: Target, method: LstmMethod, precision: Precision
) -> Translated:
    """The stage translated as for building it; raises `CompileError`."""
    with lines_kept():
        program = trace(stage, module, config)
    recorder = _Recorder(converters_for(target, method, precision))
    names = {operator_name(node) for node in program.graph.nodes if node.op == "call_function"}
    imported = from_exported_program(
        program,
        keep_params_as_input=True,
        custom_convert_map={name: recorder.converter(name) for name in names},
        run_ep_decomposition=False,
    )
    relax_module = detach_params(imported)[0]
    return Translated(program, relax_module, recorder.results, _makers(relax_module, recorder))


class _Recorder:
    """Converters that also note which variable each torch node became."""

    def __init__(self, converters: Mapping[str, Converter]) -> None:
        self.results: dict[str, fx.Node] = {}
        self._converters = converters
        self._of_tvm: Mapping[str, Callable[[fx.Node], relax.Expr]] = {}

    def converter(self, name: str) -> Converter:
        """The converter of this operator, ours or TVM's, with a note of its result."""

        def convert(node: fx.Node, importer: Any) -> relax.Expr:
            own = self._converters.get(name)
            result = self._imported(name, node, importer) if own is None else own(node, importer)
            if isinstance(result, relax.Var):
                self.results.setdefault(result.name, node)
            return result

        return convert

    def _imported(self, name: str, node: fx.Node, importer: Any) -> relax.Expr:
        if not self._of_tvm:
            self._of_tvm = importer.create_convert_map()
        return self._of_tvm[name](node)


def _makers(module: tvm.IRModule, recorder: _Recorder) -> dict[str, fx.Node]:
    """The torch node of every variable: variables are made in the order of the nodes, each node's result last."""
    waiting: list[str] = []
    makers: dict[str, fx.Node] = {}
    for binding in (binding for block in module[_MAIN].body.blocks for binding in block.bindings):
        waiting.append(binding.var.name)
        if binding.var.name in recorder.results:
            makers |= dict.fromkeys(waiting, recorder.results[binding.var.name])
            waiting = []
    return makers
